import { Controller, Get, Param, Query, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { AnswersFile, restOfPath } from '../../../platform/http/index.js';
import { DownloadGuard, InProject, type ProjectRef, Requires } from '../../access/index.js';
import { sendContent } from '../shared/send-content.js';
import { ReadBlobDto } from './file.dto.js';
import { type Download, FilesService } from './files.service.js';

const TEXT = 'text/plain; charset=utf-8';
const BINARY = 'application/octet-stream';

/** Downloads of files (docs/reference/files.md#get-projectsidrepositoryblobssha). */
@Controller('projects/:id/repository')
@UseGuards(DownloadGuard)
export class BlobsController {
  constructor(private readonly files: FilesService) {}

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
    await send(response, await this.files.openFile(project, sha, filepath));
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
    await send(response, await this.files.openFile(project, restOfPath(sha), filepath));
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
    await send(response, await this.files.openBlob(project, sha));
  }
}

function send(response: Response, { content, size, isBinary, name }: Download): Promise<void> {
  return sendContent(response, { content, size, name, mediaType: isBinary ? BINARY : TEXT });
}
