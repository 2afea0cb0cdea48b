import { Controller, Get, Query } from '@nestjs/common';
import { Answers, MayAnswer } from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { ReadFileDto } from './dto/read-file.dto.js';
import { FileView } from './file.view.js';
import { FilesService } from './files.service.js';

@Controller('projects/:id/repository/files')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  /** A file of a revision, with its content; of at most 20 MiB. */
  @Get()
  @Requires('code:read')
  @Answers(FileView)
  @MayAnswer(413)
  read(
    @InProject() project: ProjectRef,
    @Query() { file_path: filePath, ref }: ReadFileDto,
  ): Promise<FileView> {
    return this.files.read(project, ref, filePath);
  }
}
