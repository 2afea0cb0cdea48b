/** A hook of the instance (open points 3.12); its token is never told. */
export class SystemHookView {
  id!: number;
  /** With `***` for its password. */
  url!: string;
  created_at!: Date;
  push_events!: boolean;
  tag_push_events!: boolean;
  enable_ssl_verification!: boolean;
}
