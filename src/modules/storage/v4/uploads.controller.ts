import { Body, Post } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  ApiConsumes,
  FileParam,
  type ReceivedFile,
} from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../authorization/index.js';
import { UploadsService } from '../uploads/uploads.service.js';
import { presentV4Upload, V4UploadView } from './upload.view.js';

/** `POST /projects/:id/uploads`. */
class V4UploadFileDto {
  @FileParam({ required: true })
  file!: ReceivedFile;
}

@V4Controller('projects', 'Uploads')
export class V4UploadsController {
  constructor(private readonly uploads: UploadsService) {}

  /** Takes a file that texts in the project and releases elsewhere can link to. */
  @Post(':id/uploads')
  @Requires('project:upload')
  @ApiConsumes('multipart/form-data')
  @Answers(V4UploadView)
  async create(
    @InProject() project: ProjectRef,
    @Body() { file }: V4UploadFileDto,
  ): Promise<V4UploadView> {
    const { id, upload } = await this.uploads.createNumbered(project, file);
    return presentV4Upload(id, project.id, upload);
  }
}
