import { StringParam } from '../../../platform/http/index.js';

/** `POST …/merge_requests/:merge_request_id/comments`. */
export class CreateCommentDto {
  @StringParam({ required: true })
  note!: string;
}
