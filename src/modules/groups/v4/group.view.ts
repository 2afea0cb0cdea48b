import type { Urls } from '../../../platform/config/index.js';
import type { Namespace } from '../namespaces/namespace.entity.js';

/** A group, as lists and its creation answer it. */
export class V4GroupView {
  id!: number;
  web_url!: string;
  name!: string;
  path!: string;
  description!: string;
  /** `private`, `internal` or `public`. */
  visibility!: string;
  share_with_group_lock!: boolean;
  lfs_enabled!: boolean;
  avatar_url!: string | null;
  request_access_enabled!: boolean;
  full_name!: string;
  full_path!: string;
  created_at!: Date;
  /** Always null: groups have no subgroups. */
  parent_id!: number | null;
}

/** The answer to the deletion of a group, which is carried out in the background. */
export class V4GroupDeletionView {
  /** `202 Accepted`. */
  message!: string;
}

export const presentV4Group = (group: Namespace, urls: Urls): V4GroupView => ({
  id: group.id,
  web_url: urls.web('groups', group.path),
  name: group.name,
  path: group.path,
  description: group.description,
  visibility: group.visibility,
  share_with_group_lock: group.shareWithGroupLock,
  lfs_enabled: group.lfsEnabled,
  avatar_url: null,
  request_access_enabled: group.requestAccessEnabled,
  full_name: group.name,
  full_path: group.path,
  created_at: group.createdAt,
  parent_id: null,
});
