import {
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  StringParam,
} from '../../../../platform/http/index.js';

/** `PUT /groups/:id`; at least one parameter is required. */
@AtLeastOneOf()
export class UpdateGroupDto {
  @StringParam()
  name?: string;

  @StringParam()
  path?: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @EnumParam([0, 10, 20], { description: '0 private, 10 internal, 20 public.' })
  visibility_level?: number;

  @BooleanParam()
  lfs_enabled?: boolean;

  @BooleanParam()
  request_access_enabled?: boolean;
}
