import { StringParam } from '../../../../platform/http/index.js';

/** `GET /projects/:id/repository/files`. */
export class ReadFileDto {
  @StringParam({ required: true, description: 'Path of the file.' })
  file_path!: string;

  @StringParam({ required: true, description: 'Branch, tag or hash.' })
  ref!: string;
}
