import { AwardOutcome } from './award-outcome.js';
import { AwardPresenter } from './award.presenter.js';
import { AwardsRepository } from './awards.repository.js';
import { AwardsService } from './awards.service.js';
import { EmojiNames } from './emoji-names.js';

/** Emoji that are awarded. */
export const AWARD_PROVIDERS = [
  AwardOutcome,
  AwardPresenter,
  AwardsRepository,
  AwardsService,
  EmojiNames,
];
