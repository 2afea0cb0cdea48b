import { BooleanParam, StringParam } from '../../../../platform/http/index.js';

/** `POST /hooks` (open points 3.12). */
export class CreateSystemHookDto {
  @StringParam({ required: true, description: 'http or https; where deliveries go.' })
  url!: string;

  @StringParam({
    nullable: true,
    emptyClears: true,
    maxLength: 1_024,
    description: 'Sent with deliveries and used to sign them; never told.',
  })
  token?: string | null;

  @BooleanParam({ default: true })
  push_events?: boolean;

  @BooleanParam({ default: false })
  tag_push_events?: boolean;

  @BooleanParam({ default: true })
  enable_ssl_verification?: boolean;
}
