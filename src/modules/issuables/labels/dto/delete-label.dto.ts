import { StringParam } from '../../../../platform/http/index.js';

/** `DELETE /projects/:id/labels`. */
export class DeleteLabelDto {
  @StringParam({ required: true })
  name!: string;
}
