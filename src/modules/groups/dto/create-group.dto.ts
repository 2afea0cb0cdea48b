import { BooleanParam, EnumParam, StringParam } from '../../../platform/http/index.js';
import type { CreateGroupInput } from '../groups.service.js';
import { toGroupChanges } from './group-changes.js';

/** `POST /groups` (specification 4.3). */
export class CreateGroupDto {
  @StringParam({ required: true })
  name!: string;

  @StringParam({ required: true })
  path!: string;

  @StringParam()
  description?: string;

  @EnumParam([0, 10, 20], { description: '0 private, 10 internal, 20 public.' })
  visibility_level?: number;

  @BooleanParam()
  lfs_enabled?: boolean;

  @BooleanParam()
  request_access_enabled?: boolean;
}

export function toCreateGroupInput(body: CreateGroupDto): CreateGroupInput {
  return { name: body.name, path: body.path, ...toGroupChanges(body) };
}
