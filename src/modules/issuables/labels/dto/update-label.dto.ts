import { AtLeastOneOf, StringParam } from '../../../../platform/http/index.js';
import { LabelPriorityParam } from './label-priority.js';

/** `PUT /projects/:id/labels`. */
@AtLeastOneOf()
export class UpdateLabelDto {
  @StringParam({ required: true, description: 'As the label is called now.' })
  name!: string;

  @StringParam({ description: 'Up to 255 characters without commas.' })
  new_name?: string;

  @StringParam({ description: '`#` and 6 or 3 hexadecimal digits.' })
  color?: string;

  @StringParam({ nullable: true, description: 'Up to 2,000 characters.' })
  description?: string | null;

  @LabelPriorityParam()
  priority?: number | null;
}
