import {
  AtLeastOneOf,
  BooleanParam,
  ExactlyOneOf,
  IdParam,
  IntegerParam,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';
import type { LabelChanges } from '../../planning/label.rules.js';
import type { LabelKey } from '../../planning/labels.service.js';

/** The priority of a label: an integer from 0; null and `""` clear it. */
const LabelPriorityParam = (): PropertyDecorator =>
  IntegerParam({ nullable: true, emptyClears: true, min: 0, outOfRange: 'is invalid' });

/** `GET /projects/:id/labels`. */
export class V4ListLabelsDto extends PageQuery {
  @BooleanParam({ default: false, description: 'Whether labels have their counts.' })
  with_counts: boolean = false;

  @StringParam({ blank: 'absent', description: 'A part of name or description.' })
  search?: string;

  @BooleanParam({
    description: 'Groups have no parents: the labels of the group are listed in any case.',
  })
  include_ancestor_groups?: boolean;
}

/** `GET /groups/:id/labels`. */
export class V4ListGroupLabelsDto extends V4ListLabelsDto {
  @BooleanParam({ description: 'Groups have no subgroups: nothing is added.' })
  include_descendant_groups?: boolean;

  @BooleanParam({
    default: true,
    description: 'Unless it is false: then labels of the projects in the group are listed, too.',
  })
  only_group_labels: boolean = true;
}

/** `POST /groups/:id/labels`. */
export class V4CreateGroupLabelDto {
  @StringParam({ required: true, description: 'Up to 255 characters without commas.' })
  name!: string;

  @StringParam({ required: true, description: '`#` and 6 or 3 hexadecimal digits.' })
  color!: string;

  @StringParam({ nullable: true, description: 'Up to 2,000 characters.' })
  description?: string | null;
}

/** `POST /projects/:id/labels`. */
export class V4CreateLabelDto extends V4CreateGroupLabelDto {
  @LabelPriorityParam()
  priority?: number | null;
}

class LabelChangesDto {
  @StringParam({ description: 'Up to 255 characters without commas.' })
  new_name?: string;

  @StringParam({ description: '`#` and 6 or 3 hexadecimal digits.' })
  color?: string;

  @StringParam({ nullable: true, description: 'Up to 2,000 characters.' })
  description?: string | null;
}

/** `PUT /groups/:id/labels/:name`. */
@AtLeastOneOf('new_name', 'color', 'description')
export class V4UpdateGroupLabelDto extends LabelChangesDto {}

/** `PUT /projects/:id/labels/:name`. */
@AtLeastOneOf('new_name', 'color', 'description', 'priority')
export class V4UpdateLabelDto extends LabelChangesDto {
  @LabelPriorityParam()
  priority?: number | null;
}

/** `PUT /groups/:id/labels`, whose body names the label. */
@ExactlyOneOf('label_id', 'name')
@AtLeastOneOf('new_name', 'color', 'description')
export class V4UpdateNamedGroupLabelDto extends LabelChangesDto {
  @IdParam()
  label_id?: number;

  @StringParam({ description: 'As the label is called now.' })
  name?: string;
}

/** `PUT /projects/:id/labels`, whose body names the label. */
@ExactlyOneOf('label_id', 'name')
@AtLeastOneOf('new_name', 'color', 'description', 'priority')
export class V4UpdateNamedLabelDto extends V4UpdateLabelDto {
  @IdParam()
  label_id?: number;

  @StringParam({ description: 'As the label is called now.' })
  name?: string;
}

/** `DELETE …/labels`, whose parameters name the label. */
@ExactlyOneOf('label_id', 'name')
export class V4DeleteNamedLabelDto {
  @IdParam()
  label_id?: number;

  @StringParam()
  name?: string;
}

/** The label that a body names by exactly one of the two. */
export const toLabelKey = ({
  label_id: id,
  name = '',
}: {
  label_id?: number;
  name?: string;
}): LabelKey => (id === undefined ? { name } : { id });

export const toLabelChanges = ({
  new_name: name,
  color,
  description,
}: LabelChangesDto): LabelChanges => ({ name, color, description });
