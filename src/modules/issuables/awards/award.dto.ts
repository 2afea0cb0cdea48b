import { StringParam } from '../../../platform/http/index.js';

/** `POST …/award_emoji`. */
export class AwardEmojiDto {
  @StringParam({ required: true, description: 'Any name of the emoji, without colons.' })
  name!: string;
}
