import { StringParam } from '../../../../platform/http/index.js';

/** `POST …/award_emoji` (open points 3.15). */
export class AwardEmojiDto {
  @StringParam({ required: true, description: 'Any name of the emoji, without colons.' })
  name!: string;
}
