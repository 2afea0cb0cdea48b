import { Controller, Get, Param, Query, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { AnswersFile, restOfPath } from '../../../platform/http/index.js';
import { DownloadGuard, InProject, type ProjectRef, Requires } from '../../access/index.js';
import { BlobsService, type NamedFile } from './blobs.service.js';
import { ReadBlobDto } from './dto/read-blob.dto.js';
import { sendContent } from './send-content.js';

const TEXT = 'text/plain; charset=utf-8';
const BINARY = 'application/octet-stream';

/** Files as they are (docs/reference/files.md#get-projectsidrepositoryblobssha). */
@Controller('projects/:id/repository')
@UseGuards(DownloadGuard)
export class BlobsController {
  constructor(private readonly blobs: BlobsService) {}

  /** A file of a commit, which is named by hash, branch or tag. */
  @Get('commits/:sha/blob')
  @Requires('code:read')
  @AnswersFile('text/plain', BINARY)
  async ofCommit(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() { filepath }: ReadBlobDto,
    @Res() response: Response,
  ): Promise<void> {
    await send(response, await this.blobs.ofPath(project, sha, filepath));
  }

  /** The same under another path. */
  @Get('blobs/*sha')
  @Requires('code:read')
  @AnswersFile('text/plain', BINARY)
  async ofRevision(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string | string[],
    @Query() { filepath }: ReadBlobDto,
    @Res() response: Response,
  ): Promise<void> {
    await send(response, await this.blobs.ofPath(project, restOfPath(sha), filepath));
  }

  /** The content of a blob, by its hash. */
  @Get('raw_blobs/:sha')
  @Requires('code:read')
  @AnswersFile('text/plain', BINARY)
  async ofHash(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Res() response: Response,
  ): Promise<void> {
    await send(response, await this.blobs.ofHash(project, sha));
  }
}

function send(response: Response, { content, size, isBinary, name }: NamedFile): Promise<void> {
  return sendContent(response, { content, size, name, mediaType: isBinary ? BINARY : TEXT });
}
