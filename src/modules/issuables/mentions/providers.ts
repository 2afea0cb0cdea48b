import { MentionsRepository } from './mentions.repository.js';
import { Mentions } from './mentions.js';

/** Who is mentioned in texts. */
export const MENTION_PROVIDERS = [Mentions, MentionsRepository];
