import { Get, Param, Query, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { V3Controller } from '../../../../faces/index.js';
import { routeNotFound } from '../../../../platform/errors/index.js';
import {
  AnswersFile,
  endIfKnown,
  MayAnswer,
  restOfPath,
  sendDownload,
  validatorOf,
} from '../../../../platform/http/index.js';
import {
  DownloadGuard,
  InProject,
  type ProjectRef,
  Requires,
} from '../../../authorization/index.js';
import {
  ARCHIVE_FORMATS,
  ARCHIVE_MEDIA_TYPES,
  type ArchiveFormat,
  DEFAULT_FORMAT,
} from '../../files/archive-format.js';
import { ReadArchiveDto, ReadBlobDto } from './file.dto.js';
import { type Download, FilesService } from '../../files/files.service.js';

const TEXT = 'text/plain; charset=utf-8';
const BINARY = 'application/octet-stream';

/** Archives of all files of a revision (docs/reference/files.md#get-projectsidrepositoryarchiveformat). */
@V3Controller('projects/:id/repository', 'Archive')
@UseGuards(DownloadGuard)
export class ArchiveController {
  constructor(private readonly files: FilesService) {}

  /** As a `.tar.gz`. */
  @Get('archive')
  @Requires('code:read')
  @AnswersFile(DEFAULT_FORMAT.mediaType)
  @MayAnswer(413)
  async read(
    @InProject() project: ProjectRef,
    @Query() { sha }: ReadArchiveDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(response, project, sha, DEFAULT_FORMAT);
  }

  /** As `.tar.gz`, `.tar.bz2`, `.tar` or `.zip`, under all usual spellings. */
  @Get('archive.:format')
  @Requires('code:read')
  @AnswersFile(...ARCHIVE_MEDIA_TYPES)
  @MayAnswer(413)
  async readAs(
    @InProject() project: ProjectRef,
    @Param('format') suffix: string,
    @Query() { sha }: ReadArchiveDto,
    @Res() response: Response,
  ): Promise<void> {
    const format = ARCHIVE_FORMATS.get(suffix);
    if (format === undefined) throw routeNotFound();
    await this.send(response, project, sha, format);
  }

  private async send(
    response: Response,
    project: ProjectRef,
    sha: string | undefined,
    format: ArchiveFormat,
  ): Promise<void> {
    const { name, open } = await this.files.findArchive(project, sha, format);
    if (endIfKnown(response, validatorOf(`archive ${name}`))) return;
    await sendDownload(response, { name, content: await open(), mediaType: format.mediaType });
  }
}

/** Downloads of files (docs/reference/files.md#get-projectsidrepositoryblobssha). */
@V3Controller('projects/:id/repository', 'Blobs')
@UseGuards(DownloadGuard)
export class BlobsController {
  constructor(private readonly files: FilesService) {}

  /** A file of a commit. */
  @Get('commits/:sha/blob')
  @Requires('code:read')
  @AnswersFile('text/plain', BINARY)
  async ofCommit(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() { filepath }: ReadBlobDto,
    @Res() response: Response,
  ): Promise<void> {
    await send(response, await this.files.findDownload(project, sha, filepath));
  }

  /** An alias of the same endpoint under another path. */
  @Get('blobs/*sha')
  @Requires('code:read')
  @AnswersFile('text/plain', BINARY)
  async ofRevision(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string | string[],
    @Query() { filepath }: ReadBlobDto,
    @Res() response: Response,
  ): Promise<void> {
    await send(response, await this.files.findDownload(project, restOfPath(sha), filepath));
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
    await send(response, await this.files.findBlob(project, sha));
  }
}

async function send(response: Response, { oid, name, open }: Download): Promise<void> {
  if (endIfKnown(response, validatorOf(`blob ${oid}`))) return;
  const { content, size, isBinary } = await open();
  await sendDownload(response, { content, size, name, mediaType: isBinary ? BINARY : TEXT });
}
