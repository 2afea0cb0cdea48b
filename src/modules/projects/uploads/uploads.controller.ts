import { Body, Controller, Post } from '@nestjs/common';
import { ApiConsumes } from '@nestjs/swagger';
import { Answers } from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { UploadFileDto } from './dto/upload-file.dto.js';
import { presentUpload } from './upload.presenter.js';
import { UploadView } from './upload.view.js';
import { UploadsService } from './uploads.service.js';

@Controller('projects')
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
