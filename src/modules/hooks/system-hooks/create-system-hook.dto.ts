import { BooleanParam, StringParam } from '../../../platform/http/index.js';

/** `POST /hooks` */
export class CreateSystemHookDto {
  @StringParam({
    required: true,
    description: 'The http or https address that deliveries are sent to.',
  })
  url!: string;

  @StringParam({
    nullable: true,
    emptyClears: true,
    maxLength: 1_024,
    description: 'Sent with deliveries and used to sign them; never returned.',
  })
  token?: string | null;

  @BooleanParam({ default: true })
  push_events?: boolean;

  @BooleanParam({ default: false })
  tag_push_events?: boolean;

  @BooleanParam({ default: true })
  enable_ssl_verification?: boolean;
}
