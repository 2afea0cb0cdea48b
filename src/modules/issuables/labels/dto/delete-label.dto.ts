import { StringParam } from '../../../../platform/http/index.js';

/** `DELETE /projects/:id/labels` (open points 3.3). */
export class DeleteLabelDto {
  @StringParam({ required: true })
  name!: string;
}
