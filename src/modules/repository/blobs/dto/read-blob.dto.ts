import { StringParam } from '../../../../platform/http/index.js';

/** `GET /projects/:id/repository/blobs/:sha`. */
export class ReadBlobDto {
  @StringParam({ required: true, description: 'Path of the file.' })
  filepath!: string;
}
