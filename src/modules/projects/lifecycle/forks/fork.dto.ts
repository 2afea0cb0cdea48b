import { StringParam } from '../../../../platform/http/index.js';

/** `POST /projects/fork/:id`. */
export class ForkProjectDto {
  @StringParam({
    blank: 'absent',
    description: "ID, path or name of the target; the caller's own namespace when absent.",
  })
  namespace?: string;
}
