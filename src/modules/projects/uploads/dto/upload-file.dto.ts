import { FileParam, type ReceivedFile } from '../../../../platform/http/index.js';

/** `POST /projects/:id/uploads` (specification 4.4). */
export class UploadFileDto {
  @FileParam({ required: true })
  file!: ReceivedFile;
}
