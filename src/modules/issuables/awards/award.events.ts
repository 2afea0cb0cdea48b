import { DomainEvent } from '../../../platform/events/index.js';
import type { Award } from './award.entity.js';
import type { Awardable } from './awards.repository.js';

/**
 * A user awarded an emoji to an issue, merge request or note, or took it back. It is published in the same unit of work; an
 * award that is taken back does not exist any more.
 */
@DomainEvent()
export class EmojiAwarded {
  constructor(
    readonly projectId: number,
    readonly award: Pick<Award, 'id' | 'name' | 'createdAt' | 'updatedAt'>,
    readonly awardable: Awardable,
    readonly userId: number,
    readonly action: 'award' | 'revoke',
  ) {}
}
