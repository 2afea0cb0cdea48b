import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import { ProjectMembersRepository } from '../../memberships/index.js';
import type { User } from '../../users/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import type { Issuable, IssuableType } from '../model/issuable.js';
import { readReferences } from '../references/parse-references.js';
import { type Referenced, ReferenceResolver } from '../references/reference-resolver.js';
import { commitText, referenceText } from '../references/reference.js';
import { TodosService } from '../todos/todos.service.js';
import { MentionsRepository } from './mentions.repository.js';
import { NotesRepository } from './notes.repository.js';

/** Names of users and groups that one text may mention. */
const MENTIONS_PER_TEXT = 1_000;

/**
 * Accounts that one text may mention through groups and `@all`, those with the lowest ids first. They get
 * their todos in the transaction that writes the text.
 */
export const GROUP_MENTIONS_PER_TEXT = 1_000;

/** A text that a user has written or changed. */
interface WrittenText {
  /** The issue or merge request that it belongs to. */
  readonly target: Issuable;
  readonly project: ProjectRef;
  readonly actor: Pick<User, 'id' | 'admin' | 'external'>;
  /** Title and description, or the body of the note. */
  readonly texts: readonly string[];
  /** The note, if the text is one. */
  readonly note?: { readonly id: number } | undefined;
  /** The texts before a change. Unchanged texts have no effects. */
  readonly before?: readonly string[] | undefined;
}

/** What a text refers to. */
export interface ResolvedReferences {
  /** Users and groups in lower case, without signs. */
  readonly names: readonly string[];
  /** Issues and merge requests that the actor may read. */
  readonly issuables: readonly Referenced[];
}

/** The issuable or commit whose text refers to others. */
type ReferenceOrigin = { issuable: Issuable } | { sha: string };

/** Mentions all users with access to the project, in texts of its members. */
const EVERYBODY = 'all';

const NOUNS: Readonly<Record<IssuableType, string>> = {
  Issue: 'issue',
  MergeRequest: 'merge request',
};

/**
 * Records the effects of references in texts: mentions of users with their todos, and system notes on the issues and
 * merge requests that are referred to (docs/reference/references.md#mentions).
 */
@Injectable()
export class TextReferenceRecorder {
  constructor(
    private readonly config: Config,
    private readonly references: ReferenceResolver,
    private readonly kinds: IssuableKinds,
    private readonly members: ProjectMembersRepository,
    private readonly mentions: MentionsRepository,
    private readonly todos: TodosService,
    private readonly notes: NotesRepository,
  ) {}

  /** Finds what a text refers to. */
  async find({
    project,
    actor,
    texts,
  }: Pick<WrittenText, 'project' | 'actor' | 'texts'>): Promise<ResolvedReferences> {
    // Each text is a document of its own: an open code fence ends with it.
    const read = await readReferences(texts, this.config.http.externalUrl);
    const names = [...new Set(read.flatMap((one) => one.mentions))];
    const references = read.flatMap((one) => one.issuables);
    return { names, issuables: await this.references.find(references, project, actor) };
  }

  /**
   * Locks what a text refers to, with the target, in the order of docs/lock-order.md. Two texts that refer to each
   * other's targets would lock their own target first and deadlock.
   */
  async lock(target: Issuable, { issuables }: ResolvedReferences): Promise<void> {
    if (issuables.length === 0) return;
    await this.lockAll([target, ...issuables.map(({ issuable }) => issuable)]);
  }

  /**
   * Records the effects of a text, in the caller's unit of work, after the actor's own todos are finished.
   * @param known what it refers to, if the caller has found that
   */
  async recordText(text: WrittenText, known?: ResolvedReferences): Promise<void> {
    const { target, project, actor, texts, before } = text;
    if (before?.join('\0') === texts.join('\0')) return;
    const { names, issuables } = known ?? (await this.find(text));
    if (before !== undefined || names.length > 0) await this.recordMentions(text, names);
    if (issuables.length === 0) return;
    await this.recordCrossReferences({ issuable: target }, project, actor.id, issuables);
  }

  /**
   * Writes a system note on each target that has none of this origin, in the caller's unit of work. A commit is the
   * same in every project that it was pushed to: one note is enough where all readers of the target see it.
   * @param project the project of the origin
   */
  async recordCrossReferences(
    origin: ReferenceOrigin,
    project: ProjectRef,
    authorId: number,
    targets: readonly Referenced[],
  ): Promise<void> {
    const others =
      'sha' in origin
        ? await this.lockUnmentioned(origin.sha, project, targets)
        : targets.filter(({ issuable }) => !isSame(origin.issuable, issuable));
    const noted = await this.notes.insertCrossReferences(
      noteOrigin(origin, project),
      authorId,
      others.map(({ issuable, access }) => ({
        target: issuable,
        body: `mentioned in ${this.describe(origin, project, access.project)}`,
      })),
    );
    // Concurrent transactions update in the same order, so that they do not deadlock.
    for (const { type, id } of noted.sort(byTypeAndId)) await this.kinds.of(type).touch(id);
  }

  /**
   * Locks the targets that a commit has to mention. Otherwise pushes to several projects could each write a note.
   * @returns these targets
   */
  private async lockUnmentioned(
    sha: string,
    { id: projectId }: ProjectRef,
    targets: readonly Referenced[],
  ): Promise<readonly Referenced[]> {
    if (targets.length === 0) return targets;
    const issuables = targets.map(({ issuable }) => issuable);
    const mentioned = await this.notes.findMentionedBy(sha, projectId, issuables);
    const others = targets.filter(
      ({ issuable }) => !mentioned.some((one) => isSame(one, issuable)),
    );
    await this.lockAll(others.map(({ issuable }) => issuable));
    return others;
  }

  /** Locks issues and merge requests in the order of docs/lock-order.md. */
  private async lockAll(issuables: readonly Issuable[]): Promise<void> {
    const types = [...new Set(issuables.map(({ type }) => type))].sort();
    for (const kind of types.map((type) => this.kinds.of(type))) {
      await kind.lock(issuables.filter(({ type }) => type === kind.type).map(({ id }) => id));
    }
  }

  /**
   * Records mentions of the users who may read the target, and their todos, with a constant number of statements.
   * @param names of users and groups in lower case, without signs
   */
  private async recordMentions(
    { target, project, actor, note, before }: WrittenText,
    names: readonly string[],
  ): Promise<void> {
    const text = { target, noteId: note?.id ?? null };
    const named = await this.findNamed(project, actor, names);
    const reason = { action: 'mentioned', authorId: actor.id, noteId: note?.id } as const;
    const users = await this.todos.raiseIn(project, target, named, reason);
    if (before !== undefined) await this.mentions.removeOthers(text, users);
    if (users.length > 0) await this.mentions.add(text, users);
  }

  /**
   * Finds the named users, the members of named groups that the actor sees, and for `all` those of the project if the
   * actor is one of them.
   */
  private async findNamed(
    { id }: ProjectRef,
    actor: WrittenText['actor'],
    names: readonly string[],
  ): Promise<number[]> {
    if (names.length === 0) return [];
    const read = names.slice(0, MENTIONS_PER_TEXT);
    const users = await this.mentions.findUsers(read);
    const limit = GROUP_MENTIONS_PER_TEXT;
    const grouped = await this.mentions.findGroupMembers(read, actor, limit);
    const everybody = names.includes(EVERYBODY)
      ? await this.members.listUserIdsForMember(id, actor.id, limit)
      : [];
    const together = [...new Set([...grouped, ...everybody])].sort((a, b) => a - b);
    return [...users, ...together.slice(0, limit)];
  }

  private describe(origin: ReferenceOrigin, project: ProjectRef, home: ProjectRef): string {
    if ('sha' in origin) return `commit ${commitText(origin.sha, project, home)}`;
    const { type, iid } = origin.issuable;
    const name = `${this.kinds.of(type).sigil}${String(iid)}`;
    return `${NOUNS[type]} ${referenceText(name, project, home)}`;
  }
}

/** Whether a text refers to anything. */
export const hasReferences = ({ names, issuables }: ResolvedReferences): boolean =>
  names.length > 0 || issuables.length > 0;

function noteOrigin(origin: ReferenceOrigin, { id: projectId }: ProjectRef) {
  return 'sha' in origin
    ? ({ type: 'Commit', projectId, id: origin.sha } as const)
    : { type: origin.issuable.type, projectId, id: origin.issuable.id };
}

type Noted = Pick<Issuable, 'type' | 'id'>;

const isSame = (a: Noted, b: Noted): boolean => a.type === b.type && a.id === b.id;

function byTypeAndId(a: Noted, b: Noted): number {
  if (a.type === b.type) return a.id - b.id;
  return a.type < b.type ? -1 : 1;
}
