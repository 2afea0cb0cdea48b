import path from 'node:path';
import { Body, Controller, Get, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { V3Controller } from '../../../faces/index.js';
import {
  Answers,
  ApiConsumes,
  ApiExcludeController,
  clientAddress,
  disconnection,
  FileParam,
  readCredential,
  type ReceivedFile,
} from '../../../platform/http/index.js';
import {
  DownloadGuard,
  InProject,
  parseProjectIdentifier,
  type ProjectIdentifier,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import { uploadMissing } from '../refusals.js';
import { sendUpload } from '../uploads/send-upload.js';
import { presentUpload, UploadView } from './upload.view.js';
import { UploadsService } from '../uploads/uploads.service.js';
import type { Upload } from '../upload-storage.js';

/** `POST /projects/:id/uploads`. */
class UploadFileDto {
  @FileParam({ required: true })
  file!: ReceivedFile;
}

@V3Controller('projects', 'Uploads')
export class UploadsController {
  constructor(private readonly uploads: UploadsService) {}

  /** Takes a file that texts in the project can link to. */
  @Post(':id/uploads')
  @Requires('project:upload')
  @ApiConsumes('multipart/form-data')
  @Answers(UploadView)
  async create(
    @InProject() project: ProjectRef,
    @Body() { file }: UploadFileDto,
  ): Promise<UploadView> {
    return presentUpload(await this.uploads.create(project, file));
  }
}

/**
 * Serves uploaded files outside the API's prefix, under the links that texts contain and under the `full_path` of version 4
 * (docs/reference/projects.md#downloading-uploads).
 */
@Controller()
@ApiExcludeController()
@UseGuards(DownloadGuard)
export class UploadDownloadsController {
  constructor(private readonly uploads: UploadsService) {}

  @Get('-/project/:id/uploads/:secret/:name')
  @Requires('upload:download')
  async downloadById(
    @Req() request: Request,
    @Res() response: Response,
    @Param() { id = '', secret = '', name = '' }: Record<string, string>,
  ): Promise<void> {
    const project = parseProjectIdentifier(id);
    if (project === null || !('id' in project)) throw uploadMissing();
    await this.send(request, response, project, { secret, name });
  }

  @Get(':namespace/:project/uploads/:secret/:name')
  @Requires('upload:download')
  async download(
    @Req() request: Request,
    @Res() response: Response,
    @Param() { namespace = '', project = '', secret = '', name = '' }: Record<string, string>,
  ): Promise<void> {
    await this.send(request, response, { namespace, path: project }, { secret, name });
  }

  private async send(
    request: Request,
    response: Response,
    project: ProjectIdentifier,
    upload: Upload,
  ): Promise<void> {
    const credentials = {
      address: clientAddress(request),
      token: readCredential(request).token,
      authorization: request.headers.authorization,
      gone: disconnection(request),
    };
    const found = await this.uploads.findForDownload(credentials, project, upload);
    await sendUpload(response, { ...found, tag: upload.secret, name: path.basename(found.path) });
  }
}
