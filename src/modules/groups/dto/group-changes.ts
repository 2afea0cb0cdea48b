import type { GroupChanges } from '../groups.repository.js';

/** The parameters that creating and changing a group share. */
export interface GroupParameters {
  name?: string;
  path?: string;
  /** Null clears it. */
  description?: string | null;
  visibility_level?: number;
  lfs_enabled?: boolean;
  request_access_enabled?: boolean;
}

/** What was given, by the table's names; what was not is left out, so that it stays as it is. */
export function toGroupChanges(body: GroupParameters): GroupChanges {
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.path === undefined ? {} : { path: body.path }),
    ...(body.description === undefined ? {} : { description: body.description ?? '' }),
    ...(body.visibility_level === undefined ? {} : { visibilityLevel: body.visibility_level }),
    ...(body.lfs_enabled === undefined ? {} : { lfsEnabled: body.lfs_enabled }),
    ...(body.request_access_enabled === undefined
      ? {}
      : { requestAccessEnabled: body.request_access_enabled }),
  };
}
