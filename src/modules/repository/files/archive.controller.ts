import { Controller, Get, Param, Query, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { routeNotFound } from '../../../platform/errors/index.js';
import { AnswersFile, MayAnswer } from '../../../platform/http/index.js';
import { DownloadGuard, InProject, type ProjectRef, Requires } from '../../access/index.js';
import { sendContent } from '../shared/send-content.js';
import {
  ARCHIVE_FORMATS,
  ARCHIVE_MEDIA_TYPES,
  type ArchiveFormat,
  DEFAULT_FORMAT,
} from './archive-format.js';
import { ReadArchiveDto } from './file.dto.js';
import { FilesService } from './files.service.js';

/** Archives of all files of a revision (docs/reference/files.md#get-projectsidrepositoryarchiveformat). */
@Controller('projects/:id/repository')
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
    const { name, content } = await this.files.openArchive(project, sha, format);
    await sendContent(response, { name, content, mediaType: format.mediaType });
  }
}
