import { Get, Param, Query, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { V4Controller } from '../../../../faces/index.js';
import { routeNotFound } from '../../../../platform/errors/index.js';
import {
  Answers,
  AnswersFile,
  endIfKnown,
  MayAnswer,
  sendDownload,
  validatorOf,
  VersionedAnswer,
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
import { FilesService } from '../../files/files.service.js';
import { toBlobId, toFilePath, V4DownloadFileDto, V4ReadArchiveDto } from './file.dto.js';
import { digestOf, fileHeaders, V4BlobView } from './file.view.js';

const TEXT = 'text/plain; charset=utf-8';
const BINARY = 'application/octet-stream';
const mediaTypeOf = (isBinary: boolean): string => (isBinary ? BINARY : TEXT);

/** Archives of all files of a revision. */
@V4Controller('projects/:id/repository', 'Archive')
@UseGuards(DownloadGuard)
export class V4ArchiveController {
  constructor(private readonly files: FilesService) {}

  /** As a `.tar.gz`. */
  @Get('archive')
  @Requires('code:browse')
  @AnswersFile(DEFAULT_FORMAT.mediaType)
  @MayAnswer(413)
  async read(
    @InProject() project: ProjectRef,
    @Query() { sha }: V4ReadArchiveDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(response, project, sha, DEFAULT_FORMAT);
  }

  /** As `.tar.gz`, `.tar.bz2`, `.tar` or `.zip`, under all usual spellings. */
  @Get('archive.:format')
  @Requires('code:browse')
  @AnswersFile(...ARCHIVE_MEDIA_TYPES)
  @MayAnswer(413)
  async readAs(
    @InProject() project: ProjectRef,
    @Param('format') suffix: string,
    @Query() { sha }: V4ReadArchiveDto,
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

@V4Controller('projects/:id/repository/files', 'Files')
@UseGuards(DownloadGuard)
export class V4RawFilesController {
  constructor(private readonly files: FilesService) {}

  /** The content of a file of a revision, of any size. */
  @Get(':file_path/raw')
  @Requires('code:browse')
  @AnswersFile('text/plain', BINARY)
  async download(
    @InProject() project: ProjectRef,
    @Param('file_path') filePath: string,
    @Query() { ref }: V4DownloadFileDto,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.files.findWithDownload(project, ref, toFilePath(filePath));
    const { file, download } = found;
    if (endIfKnown(response, validatorOf(`raw ${JSON.stringify(file)}`))) return;
    const { content, size, isBinary } = await download.open();
    // Large files are streamed: their digest is known only at their end.
    response.set(fileHeaders(file, size, Buffer.isBuffer(content) ? digestOf(content) : undefined));
    const { name } = download;
    await sendDownload(response, { content, size, name, mediaType: mediaTypeOf(isBinary) });
  }
}

@V4Controller('projects/:id/repository/blobs', 'Blobs')
export class V4BlobsController {
  constructor(private readonly files: FilesService) {}

  /** A blob by its hash, with its content; of at most 20 MiB. */
  @Get(':sha')
  @Requires('code:browse')
  @Answers(V4BlobView)
  @MayAnswer(413)
  async read(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
  ): Promise<VersionedAnswer> {
    const oid = toBlobId(sha);
    const { key, make, weigh } = await this.files.findContent(project, oid);
    const show = async (): Promise<V4BlobView> => {
      const content = await make();
      return {
        size: content.length,
        encoding: 'base64',
        content: content.toString('base64'),
        sha: oid,
      };
    };
    return new VersionedAnswer(JSON.stringify(key), show, weigh);
  }
}

@V4Controller('projects/:id/repository/blobs', 'Blobs')
@UseGuards(DownloadGuard)
export class V4RawBlobsController {
  constructor(private readonly files: FilesService) {}

  /** The content of a blob, by its hash. */
  @Get(':sha/raw')
  @Requires('code:browse')
  @AnswersFile('text/plain', BINARY)
  async download(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Res() response: Response,
  ): Promise<void> {
    const { oid, open } = await this.files.findBlob(project, toBlobId(sha));
    if (endIfKnown(response, validatorOf(`blob ${oid}`))) return;
    const { content, size, isBinary } = await open();
    await sendDownload(response, { content, size, mediaType: mediaTypeOf(isBinary) });
  }
}
