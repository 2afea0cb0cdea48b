import path from 'node:path';
import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { clientAddress, readCredential } from '../../../platform/http/index.js';
import { DownloadGuard, Requires } from '../../access/index.js';
import { UploadDownloads } from './upload-downloads.js';
import { sendUpload } from './send-upload.js';

/**
 * Uploaded files, outside the API's prefix: what the links in texts lead to
 * (docs/reference/projects.md#downloading-uploads).
 */
@Controller()
@ApiExcludeController()
@UseGuards(DownloadGuard)
export class UploadDownloadsController {
  constructor(private readonly downloads: UploadDownloads) {}

  @Get(':namespace/:project/uploads/:secret/:name')
  @Requires('upload:download')
  async download(
    @Req() request: Request,
    @Res() response: Response,
    @Param() { namespace = '', project = '', secret = '', name = '' }: Record<string, string>,
  ): Promise<void> {
    const visitor = {
      address: clientAddress(request),
      token: readCredential(request).token,
      authorization: request.headers.authorization,
    };
    const place = { namespace, path: project };
    const found = await this.downloads.find(visitor, place, { secret, name });
    await sendUpload(response, { ...found, tag: secret, name: path.basename(found.path) });
  }
}
