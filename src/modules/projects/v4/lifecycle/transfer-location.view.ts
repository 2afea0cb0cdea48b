/** A group that a project can be transferred into. */
export class V4TransferLocationView {
  id!: number;
  web_url!: string;
  name!: string;
  avatar_url!: string | null;
  full_name!: string;
  full_path!: string;
}
