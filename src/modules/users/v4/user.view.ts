/** The user summary that other objects embed. */
export class V4UserBasicView {
  id!: number;
  username!: string;
  name!: string;
  /** `active` or `blocked`. */
  state!: string;
  /** Always false: accounts are blocked, never locked. */
  locked!: boolean;
  avatar_url!: string | null;
  web_url!: string;
}
