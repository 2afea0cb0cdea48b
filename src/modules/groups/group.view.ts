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
