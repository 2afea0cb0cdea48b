import type { Urls } from '../../../platform/config/index.js';
import { presentVisibility } from '../../authorization/v3/index.js';
import type { Namespace } from '../namespaces/namespace.entity.js';

/** A group, as lists and the creation, change and deletion of groups answer it. */
export class GroupView {
  id!: number;
  name!: string;
  path!: string;
  description!: string;
  /** 0 private, 10 internal, 20 public. */
  visibility_level!: number;
  lfs_enabled!: boolean;
  /** Always null: groups have no avatars in this version. */
  avatar_url!: string | null;
  web_url!: string;
  request_access_enabled!: boolean;
}

export const presentGroup = (group: Namespace, urls: Urls): GroupView => ({
  id: group.id,
  name: group.name,
  path: group.path,
  description: group.description,
  visibility_level: presentVisibility(group.visibility),
  lfs_enabled: group.lfsEnabled,
  avatar_url: null,
  web_url: urls.web('groups', group.path),
  request_access_enabled: group.requestAccessEnabled,
});
