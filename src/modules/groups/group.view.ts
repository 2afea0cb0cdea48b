/** A group in lists and after its creation or removal (specification 2.10; open points 4.1). */
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
