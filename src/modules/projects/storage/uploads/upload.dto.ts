import { FileParam, type ReceivedFile } from '../../../../platform/http/index.js';

/** `POST /projects/:id/uploads`. */
export class UploadFileDto {
  @FileParam({ required: true })
  file!: ReceivedFile;
}
