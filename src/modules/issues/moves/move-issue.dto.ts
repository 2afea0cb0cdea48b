import { IdParam } from '../../../platform/http/index.js';

/** `POST /projects/:id/issues/:issue_id/move`. */
export class MoveIssueDto {
  @IdParam({ required: true })
  to_project_id!: number;
}
