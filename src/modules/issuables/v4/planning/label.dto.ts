import {
  AtLeastOneOf,
  BooleanParam,
  IntegerParam,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';

/** The priority of a label: an integer from 0; null and `""` clear it. */
const LabelPriorityParam = (): PropertyDecorator =>
  IntegerParam({ nullable: true, emptyClears: true, min: 0, outOfRange: 'is invalid' });

/** `GET /projects/:id/labels`. */
export class V4ListLabelsDto extends PageQuery {
  @BooleanParam({ default: false, description: 'Whether labels have their counts.' })
  with_counts: boolean = false;

  @StringParam({ blank: 'absent', description: 'A part of name or description.' })
  search?: string;

  @BooleanParam({ description: 'Groups have no labels: nothing is added.' })
  include_ancestor_groups?: boolean;
}

/** `POST /projects/:id/labels`. */
export class V4CreateLabelDto {
  @StringParam({ required: true, description: 'Up to 255 characters without commas.' })
  name!: string;

  @StringParam({ required: true, description: '`#` and 6 or 3 hexadecimal digits.' })
  color!: string;

  @StringParam({ nullable: true, description: 'Up to 2,000 characters.' })
  description?: string | null;

  @LabelPriorityParam()
  priority?: number | null;
}

/** `PUT /projects/:id/labels/:name`. */
@AtLeastOneOf('new_name', 'color', 'description', 'priority')
export class V4UpdateLabelDto {
  @StringParam({ description: 'Up to 255 characters without commas.' })
  new_name?: string;

  @StringParam({ description: '`#` and 6 or 3 hexadecimal digits.' })
  color?: string;

  @StringParam({ nullable: true, description: 'Up to 2,000 characters.' })
  description?: string | null;

  @LabelPriorityParam()
  priority?: number | null;
}

/** `PUT /projects/:id/labels`, whose body names the label. */
@AtLeastOneOf('new_name', 'color', 'description', 'priority')
export class V4UpdateNamedLabelDto extends V4UpdateLabelDto {
  @StringParam({ required: true, description: 'As the label is called now.' })
  name!: string;
}

/** `DELETE /projects/:id/labels`, whose parameters name the label. */
export class V4DeleteNamedLabelDto {
  @StringParam({ required: true })
  name!: string;
}
