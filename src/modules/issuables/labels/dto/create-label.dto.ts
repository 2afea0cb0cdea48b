import { StringParam } from '../../../../platform/http/index.js';
import { LabelPriorityParam } from './label-priority.js';

/** `POST /projects/:id/labels`. */
export class CreateLabelDto {
  @StringParam({ required: true, description: 'Up to 255 characters without commas.' })
  name!: string;

  @StringParam({ required: true, description: '`#` and 6 or 3 hexadecimal digits.' })
  color!: string;

  @StringParam({ nullable: true, description: 'Up to 2,000 characters.' })
  description?: string | null;

  @LabelPriorityParam()
  priority?: number | null;
}
