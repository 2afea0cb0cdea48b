import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { notFound, recordNotFound, unauthenticated } from '../../../platform/errors/index.js';
import { mapPage, type Page, type PageRequest } from '../../../platform/http/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import type { Award } from './award.entity.js';
import { AwardOutcome } from './award-outcome.js';
import { type Awardable, AwardsRepository } from './awards.repository.js';
import { EmojiNames } from './emoji-names.js';

/** What an emoji is awarded to, with whom it belongs to. */
export interface OwnedAwardable extends Awardable {
  readonly projectId: number;
  readonly authorId: number;
}

export interface AwardedEmoji {
  award: Award;
  user: User;
}

const VOTES = ['thumbsup', 'thumbsdown'];

/** Emoji on issues, merge requests and the notes on them (docs/reference/award-emoji.md#endpoints). */
@Injectable()
export class AwardsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly awards: AwardsRepository,
    private readonly emoji: EmojiNames,
    private readonly outcome: AwardOutcome,
    private readonly users: UsersRepository,
  ) {}

  /** The oldest first. */
  async list(awardable: Awardable, request: PageRequest): Promise<Page<AwardedEmoji>> {
    const page = await this.awards.page(awardable, request);
    const users = await this.users.findAuthors(page.items.map(({ userId }) => userId));
    return mapPage(page, (award) => ({ award, user: authorOf(users, award.userId) }));
  }

  /** @throws DomainError record not found */
  async read(awardable: Awardable, id: number): Promise<AwardedEmoji> {
    const award = await this.awards.findIn(awardable, id);
    if (award === null) throw recordNotFound();
    const users = await this.users.findAuthors([award.userId]);
    return { award, user: authorOf(users, award.userId) };
  }

  /**
   * @param name any that the emoji goes by, without colons
   * @throws DomainError not found for an unknown emoji, one that the user has awarded already, and a
   *   vote on what is the user's own
   */
  async create(awardable: OwnedAwardable, user: User, name: string): Promise<AwardedEmoji> {
    const canonical = this.emoji.find(name);
    if (canonical === null || !mayAward(awardable, user, canonical)) throw notFound('Award Emoji');
    const award = await this.add(awardable, user, canonical);
    if (award === null) throw notFound('Award Emoji');
    return { award, user };
  }

  /**
   * The award that a note stands for whose text is a single emoji; null for any other text, and for a
   * vote on what is the user's own. What the user has awarded already is answered once more.
   */
  async fromText(
    awardable: OwnedAwardable,
    user: User,
    text: string,
  ): Promise<AwardedEmoji | null> {
    const name = this.emoji.ofText(text);
    if (name === null || !mayAward(awardable, user, name)) return null;
    const award =
      (await this.add(awardable, user, name)) ?? (await this.awards.find(awardable, user.id, name));
    return award === null ? null : { award, user };
  }

  /**
   * @returns the award as it was
   * @throws DomainError record not found; unauthenticated for somebody else's, except for administrators
   */
  async remove(awardable: Awardable, caller: User, id: number): Promise<AwardedEmoji> {
    const awarded = await this.read(awardable, id);
    if (awarded.award.userId !== caller.id && !caller.admin) throw unauthenticated();
    if (!(await this.awards.remove(id))) throw recordNotFound();
    return awarded;
  }

  private add(awardable: OwnedAwardable, user: User, name: string): Promise<Award | null> {
    return this.work.run(async () => {
      const award = await this.awards.insert(awardable, user.id, name);
      if (award !== null) await this.outcome.awarded(awardable, user);
      return award;
    });
  }
}

/** Nobody votes for or against themselves. */
const mayAward = ({ authorId }: OwnedAwardable, user: User, name: string): boolean =>
  authorId !== user.id || !VOTES.includes(name);
