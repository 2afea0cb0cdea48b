import { Injectable } from '@nestjs/common';
import { GROUP_MENTIONS_PER_TEXT, MENTIONS_PER_TEXT } from '../../../platform/limits/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectMembersRepository } from '../../projects/index.js';
import type { Issuable } from '../issuable.js';
import { Readers } from '../readers.js';
import { TodosRepository } from '../todos/todos.repository.js';
import { type MentionPlace, MentionsRepository } from './mentions.repository.js';

/** Stands for everybody with access to the project. */
const EVERYBODY = 'all';

export interface MentioningText {
  readonly target: Issuable;
  readonly project: ProjectRef;
  readonly authorId: number;
  /** The note, where the text is one. */
  readonly noteId?: number | undefined;
  /** Whether it was there before, with other words. */
  readonly isEdited: boolean;
}

/**
 * Remembers whom texts mention, and puts those texts on their lists
 * (docs/reference/references.md#mentions).
 */
@Injectable()
export class Mentions {
  constructor(
    private readonly mentions: MentionsRepository,
    private readonly members: ProjectMembersRepository,
    private readonly readers: Readers,
    private readonly todos: TodosRepository,
  ) {}

  /**
   * Only who may read the target is mentioned at all. A constant number of statements, however many
   * are.
   * @param names of users and groups in lower case, without signs
   */
  async record(text: MentioningText, names: readonly string[]): Promise<void> {
    const { target, project, authorId, noteId } = text;
    const place: MentionPlace = { target, noteId: noteId ?? null };
    const users = await this.readers.among(target, project, await this.named(project, names));
    if (text.isEdited) await this.mentions.removeOthers(place, users);
    if (users.length === 0) return;
    await this.mentions.add(place, users);
    const reason = { action: 'mentioned', authorId, noteId } as const;
    await this.todos.insertUnlessPending(target, users, reason);
  }

  private async named({ id }: ProjectRef, names: readonly string[]): Promise<number[]> {
    if (names.length === 0) return [];
    const read = names.slice(0, MENTIONS_PER_TEXT);
    const users = await this.mentions.users(read);
    const limit = GROUP_MENTIONS_PER_TEXT;
    const grouped = await this.mentions.groupMembers(read, limit);
    const everybody = names.includes(EVERYBODY) ? await this.members.listUserIds(id, limit) : [];
    const together = [...new Set([...grouped, ...everybody])].sort((a, b) => a - b);
    return [...users, ...together.slice(0, limit)];
  }
}
