import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { notFound, recordNotFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import { mapPage, type Page, type PageRequest } from '../../../platform/pagination/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import { awardExists, awardOfAnother, issuableNotFound } from '../model/refusals.js';
import { TodosService } from '../todos/todos.service.js';
import type { Award } from './award.entity.js';
import { EmojiAwarded } from './award.events.js';
import { type Awardable, AwardsRepository } from './awards.repository.js';

/** An issue, merge request or note with its author. */
export interface OwnedAwardable extends Awardable {
  readonly projectId: number;
  readonly authorId: number;
}

export interface AwardedEmoji {
  award: Award;
  user: User;
}

const VOTES = ['thumbsup', 'thumbsdown'];

/** Existing clients use the names of this set, which was called EmojiOne. */
const NAMES = 'emoji-toolkit/emoji_strategy.json';

/** An emoji of that file. Its names are written between colons. */
interface ListedEmoji {
  readonly shortname: string;
  readonly shortname_alternates: readonly string[];
}

const SHORTCODE = /^:([a-z0-9_+-]+):$/;

/** Looks up the names of emoji. */
export class EmojiNames {
  private readonly canonical = new Map<string, string>();

  constructor() {
    const file = createRequire(import.meta.url).resolve(NAMES);
    const listed = JSON.parse(readFileSync(file, 'utf8')) as Record<string, ListedEmoji>;
    for (const { shortname, shortname_alternates: alternates } of Object.values(listed)) {
      const canonical = withoutColons(shortname);
      for (const name of [shortname, ...alternates].map(withoutColons)) {
        if (!this.canonical.has(name)) this.canonical.set(name, canonical);
      }
    }
  }

  /** Returns the canonical name of an emoji: `thumbsup` for `+1`; null for an unknown name. */
  find(name: string): string | null {
    return this.canonical.get(name) ?? null;
  }

  /** Returns the emoji that a text consists of, such as `:tada:`; null for any other text. */
  ofText(text: string): string | null {
    const [, name] = SHORTCODE.exec(text.trim()) ?? [];
    return name === undefined ? null : this.find(name);
  }
}

const withoutColons = (shortname: string): string => shortname.slice(1, -1);

/** Emoji on issues, merge requests and the notes on them (docs/reference/award-emoji.md#endpoints). */
@Injectable()
export class AwardsService {
  private readonly emoji = new EmojiNames();

  constructor(
    private readonly work: UnitOfWork,
    private readonly awards: AwardsRepository,
    private readonly kinds: IssuableKinds,
    private readonly todos: TodosService,
    private readonly users: UsersRepository,
    private readonly events: DomainEvents,
  ) {}

  /** Lists awards, the oldest first. */
  async list(awardable: Awardable, request: PageRequest): Promise<Page<AwardedEmoji>> {
    const page = await this.awards.page(awardable, request);
    const users = await this.users.findAuthors(page.items.map(({ userId }) => userId));
    return mapPage(page, (award) => ({ award, user: authorOf(users, award.userId) }));
  }

  /** @throws DomainError record not found */
  async read(awardable: Awardable, id: number): Promise<AwardedEmoji> {
    const award = await this.awards.findIn(awardable, id);
    if (award === null) throw recordNotFound('award-emoji');
    const users = await this.users.findAuthors([award.userId]);
    return { award, user: authorOf(users, award.userId) };
  }

  /**
   * @param name any name of the emoji, without colons
   * @param allowsOwnVotes whether authors may vote
   * @throws DomainError not found for an unknown emoji, and an author's vote; award exists
   */
  async create(
    awardable: OwnedAwardable,
    user: User,
    name: string,
    { allowsOwnVotes = false } = {},
  ): Promise<AwardedEmoji> {
    const canonical = this.emoji.find(name);
    if (canonical === null) throw notFound('award-emoji');
    if (!allowsOwnVotes && !mayAward(awardable, user, canonical)) throw notFound('award-emoji');
    const award = await this.add(awardable, user, canonical);
    if (award === null) throw awardExists();
    return { award, user };
  }

  /**
   * Awards the emoji that a text consists of.
   * @returns the new or existing award; null for any other text, and for an author's vote
   */
  async createFromText(
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
   * Awards the emoji that a text consists of, or removes the user's award of it.
   * @returns its name; null for any other text
   */
  async toggle(awardable: OwnedAwardable, user: User, text: string): Promise<string | null> {
    const name = this.emoji.ofText(text);
    if (name === null) return null;
    const award = await this.awards.find(awardable, user.id, name);
    if (award === null) await this.add(awardable, user, name);
    else await this.remove(awardable, user, award.id);
    return name;
  }

  /**
   * @returns the award as it was
   * @throws DomainError record not found; award of another, unless the caller is an administrator
   */
  async remove(awardable: Awardable, caller: User, id: number): Promise<AwardedEmoji> {
    const awarded = await this.read(awardable, id);
    if (awarded.award.userId !== caller.id && !caller.admin) throw awardOfAnother();
    const isRemoved = await this.work.run(async () => {
      // Its votes are counted on its row, which comes before the awards (docs/lock-order.md).
      if (awardable.type !== 'Note') await this.kinds.of(awardable.type).lock([awardable.id]);
      const hasRemoved = await this.awards.remove(id);
      if (hasRemoved) await this.publish(awarded.award, awardable, 'revoke');
      return hasRemoved;
    });
    if (!isRemoved) throw recordNotFound('award-emoji');
    return awarded;
  }

  private add(awardable: OwnedAwardable, user: User, name: string): Promise<Award | null> {
    return this.work.run(async () => {
      const award = await this.awards.insert(awardable, user.id, name);
      if (award !== null) {
        await this.touch(awardable, user);
        await this.publish(award, awardable, 'award');
      }
      return award;
    });
  }

  private publish(
    award: Award,
    { type, id }: Awardable,
    action: EmojiAwarded['action'],
  ): Promise<void> {
    const { projectId, userId } = award;
    return this.events.publish(new EmojiAwarded(projectId, award, { type, id }, userId, action));
  }

  /**
   * Updates the time of an awarded issue or merge request, and makes the user's todo for it done.
   * @throws DomainError record not found if it is deleted meanwhile
   */
  private async touch({ type, id }: Awardable, user: User): Promise<void> {
    const exists = await (type === 'Note'
      ? this.awards.holdNote(id)
      : this.kinds.of(type).touch(id));
    if (!exists) throw type === 'Note' ? recordNotFound('note') : issuableNotFound(type);
    if (type !== 'Note') await this.todos.finish({ type, id }, user.id);
  }
}

/** Authors do not vote. */
const mayAward = ({ authorId }: OwnedAwardable, user: User, name: string): boolean =>
  authorId !== user.id || !VOTES.includes(name);
