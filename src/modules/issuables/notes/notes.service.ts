import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  assertValid,
  forbidden,
  notFound,
  recordNotFound,
} from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import {
  describeInParts,
  type Page,
  type PageRequest,
} from '../../../platform/pagination/index.js';
import { allows, type ProjectAccess, type Subject } from '../../authorization/index.js';
import { ActivityLog } from '../../activity/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import type { OwnedAwardable } from '../awards/awards.service.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import type { Issuable } from '../model/issuable.js';
import { descriptionProblems, mayDiscuss } from '../model/issuable.rules.js';
import { type AppliedActions, QuickActionExecutors } from '../model/quick-actions.js';
import {
  actionsWithoutEffect,
  issuableNotFound,
  noteBodyMissing,
  threadRefused,
} from '../model/refusals.js';
import { QuickActionReader } from '../references/quick-action-reader.js';
import { TodosService } from '../todos/todos.service.js';
import {
  type BegunThread,
  BYTES_PER_THREAD,
  isResolvable,
  isResolved,
  NOTES_PER_THREAD,
} from './discussion.js';
import { DiscussionsRepository } from './discussions.repository.js';
import type { Note } from './note.entity.js';
import { DiscussionsResolved, noteTarget, NoteWritten } from './note.events.js';
import {
  type AuthoredNote,
  type NotesRequest,
  NotesRepository,
  type ThreadOfNote,
} from './notes.repository.js';
import { ReadableNotes } from './readable-notes.js';
import { TextReferenceRecorder } from './text-reference-recorder.js';

interface NoteInput {
  body: string;
  /** Ignored for callers who may not set times. */
  createdAt?: Date | undefined;
  /** Undefined: it stands by itself. */
  thread?: NoteThread | undefined;
  /** The head of the merge request that the author has seen, for the quick action that merges. */
  headSha?: string | undefined;
}

/** A written note, or what the quick actions have done of which a text consisted. */
export type WrittenNote = AuthoredNote | CommandsOnly;

/** There is no note: its text consisted of quick actions. */
export class CommandsOnly {
  constructor(readonly applied: AppliedActions) {}
}

/** The thread of a new note: one that it begins, or the one that it replies to. */
type NoteThread = BegunThread | { readonly replyTo: number };

/**
 * Reads and writes the notes on issues and merge requests (docs/reference/notes.md#endpoints). Callers check that the user
 * may read the issue or merge request, before they write or answer anything.
 */
@Injectable()
export class NotesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly notes: NotesRepository,
    private readonly discussions: DiscussionsRepository,
    private readonly kinds: IssuableKinds,
    private readonly quickActions: QuickActionReader,
    private readonly executors: QuickActionExecutors,
    private readonly readable: ReadableNotes,
    private readonly users: UsersRepository,
    private readonly todos: TodosService,
    private readonly recorder: TextReferenceRecorder,
    private readonly log: ActivityLog,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Lists notes, the oldest first unless another order is asked for. A page may hold fewer notes than it is asked for, because cross-references that
   * the reader may not see are left out. The total counts them, so lists for anonymous readers have no cross-references.
   */
  async list(
    target: Pick<Issuable, 'type' | 'id'>,
    reader: Subject,
    request: PageRequest,
    wanted: NotesRequest = {},
  ): Promise<Page<AuthoredNote>> {
    return describeInParts(
      await this.notes.page(target, request, { ...wanted, withoutReferences: reader === null }),
      ({ textBytes }) => textBytes,
      async (part) => {
        const known = part.flatMap(({ authored }) => authored ?? []);
        if (known.length === part.length) {
          const listed = known.map(({ note }) => note);
          const readable = new Set(await this.readable.filter(listed, reader));
          return known.filter(({ note }) => readable.has(note));
        }
        const ids = part.map(({ id }) => id);
        const found = new Map((await this.notes.findByIds(ids)).map((note) => [note.id, note]));
        const notes = ids.flatMap((id) => found.get(id) ?? []);
        return this.describeReadable(notes, reader);
      },
    );
  }

  /** Describes those of some notes on one issue or merge request that the reader may read. */
  async describeReadable(notes: readonly Note[], reader: Subject): Promise<AuthoredNote[]> {
    return this.loadAuthors(await this.readable.filter(notes, reader));
  }

  /** @throws DomainError record not found */
  async read(target: Issuable, reader: Subject, id: number): Promise<AuthoredNote> {
    return this.describe(await this.find(target, reader, id));
  }

  /** Returns a note as an awardable object. @throws DomainError record not found */
  async readAwardable(target: Issuable, reader: Subject, id: number): Promise<OwnedAwardable> {
    const { projectId, authorId } = await this.find(target, reader, id);
    return { type: 'Note', id, projectId, authorId };
  }

  /**
   * Comments on an issue or merge request, and carries out the quick actions of the text. A reply to a note that stands by itself
   * makes a thread of it.
   * @throws DomainError for a body that is blank or too long; forbidden where the discussion is locked; record not found if the target or the thread is deleted
   *   meanwhile; thread refused; actions without effect
   */
  async create(
    access: ProjectAccess,
    target: Issuable,
    author: User,
    { body, createdAt: wanted, thread, headSha }: NoteInput,
  ): Promise<WrittenNote> {
    checkBody(body);
    if (!mayDiscuss(access, target)) throw forbidden();
    const { text, actions } = await this.quickActions.read(body);
    const createdAt = allows(access, 'issue:set-times') ? wanted : undefined;
    const input = { body: text, createdAt, thread };
    if (actions.length === 0) return this.write(access, target, author, input);
    const note = { access, author, target, actions, headSha };
    return this.executors.of(target.type).run(note, async (carryOut) => {
      if (text !== '') {
        const written = await this.write(access, target, author, input);
        await carryOut();
        return written;
      }
      return new CommandsOnly(assertEffect(await carryOut()));
    });
  }

  /**
   * Changes the body of a note, and carries out the quick actions of the new one with the rights of the caller. A body that consists
   * of them leaves the text as it is. System notes stay unchanged.
   * @throws DomainError record not found; forbidden unless the caller is the author or a master, and where the
   *   discussion is locked; actions without effect
   */
  async update(
    access: ProjectAccess,
    target: Issuable,
    caller: User,
    { id, body }: { id: number; body: string },
  ): Promise<AuthoredNote> {
    const note = await this.findEditable(access, target, caller, id);
    checkBody(body);
    if (note.system || note.body === body) return this.describe(note);
    const read = await this.quickActions.read(body);
    const { text, actions } = await this.quickActions.readChange(body, read, note.body);
    const rewrite = () => this.rewrite(access, target, caller, { note, body: text });
    if (actions.length === 0) return this.work.run(rewrite);
    const written = { access, author: caller, target, actions };
    return this.executors.of(target.type).run(written, async (carryOut) => {
      // Before the row of the note (docs/lock-order.md).
      await this.kinds.of(target.type).lock([target.id]);
      if (text !== '') {
        const changed = await rewrite();
        await carryOut();
        return changed;
      }
      assertEffect(await carryOut());
      return this.describe(note);
    });
  }

  /**
   * @returns the note as it was
   * @throws DomainError record not found; forbidden unless the caller is the author or a master
   */
  async remove(
    access: ProjectAccess,
    target: Issuable,
    caller: User,
    id: number,
  ): Promise<AuthoredNote> {
    const note = await this.findEditable(access, target, caller, id);
    const authored = await this.describe(note);
    const isRemoved = await this.work.run(async () => {
      // Notes are counted on its row, which comes before theirs (docs/lock-order.md).
      await this.kinds.of(target.type).lock([target.id]);
      const hasRemoved = await this.notes.remove(id, noteTarget(target.type));
      if (hasRemoved) await this.publishIfResolved(note);
      return hasRemoved;
    });
    if (!isRemoved) throw recordNotFound('note');
    return authored;
  }

  /**
   * Writes a note from whose text quick actions have been removed, with everything that belongs to it.
   * @throws DomainError record not found if the target or the thread is deleted meanwhile; thread refused
   */
  async write(
    access: ProjectAccess,
    target: Issuable,
    author: User,
    { body, createdAt, thread: input }: Omit<NoteInput, 'headSha'>,
  ): Promise<AuthoredNote> {
    const { project } = access;
    const { type, id, projectId } = target;
    const text = { target, project, actor: author, texts: [body] };
    const references = await this.recorder.find(text);
    const note = await this.work.run(async () => {
      await this.recorder.lock(target, references);
      const thread = input && (await this.prepareThread(target, author, input));
      const [created] = await Promise.all([
        this.notes.insert(target, { authorId: author.id, body, createdAt, thread }),
        this.todos.finish({ type, id }, author.id),
      ]);
      if (created === null) throw issuableNotFound(type);
      await this.assertShort(created);
      await this.recorder.recordText({ ...text, note: { id: created.id } }, references);
      await this.events.publish(new NoteWritten(project, created.id, target, author.id));
      const activity = { projectId, authorId: author.id, action: 'commented on' } as const;
      await this.log.record([{ ...activity, target: { type: noteTarget(type), id: created.id } }]);
      return created;
    });
    return { note, author, resolver: note.resolvedById === null ? null : author };
  }

  /** Changes the body of a note in the caller's unit of work. */
  private async rewrite(
    { project }: ProjectAccess,
    target: Issuable,
    actor: User,
    { note, body }: { note: Note; body: string },
  ): Promise<AuthoredNote> {
    const { id } = note;
    if (note.body === body) return this.describe(note);
    const changed = await this.notes.rewrite(id, body);
    if (changed === null) throw recordNotFound('note');
    await this.assertShort(changed);
    const texts = { texts: [changed.body], before: [note.body] };
    await this.recorder.recordText({ target, project, actor, ...texts, note: { id } });
    await this.events.publish(new NoteWritten(project, id, target, actor.id, 'update'));
    return this.describe(changed);
  }

  /**
   * Prepares the thread of a new note. For a reply its target is locked, so that the thread stays as it is. A reply to a resolved
   * thread is resolved by its author.
   */
  private async prepareThread(
    { type, id }: Issuable,
    author: User,
    input: NoteThread,
  ): Promise<ThreadOfNote> {
    if (!('replyTo' in input)) return { ...input, discussionId: null, resolvedById: null };
    const discussionId = input.replyTo;
    await this.kinds.of(type).lock([id]);
    const notes = await this.discussions.findNotes({ type, id }, discussionId);
    const [first] = notes;
    if (first === undefined) throw notFound('discussion');
    // It would be quoted as if a user had written it, to those who may not see it, too.
    if (first.system && first.discussionId === null) throw threadRefused('of-service');
    if (notes.length >= NOTES_PER_THREAD) throw threadRefused('full');
    if (first.discussionId === null) await this.discussions.begin(first.id);
    return {
      discussionId,
      type: first.type ?? 'DiscussionNote',
      position: first.position,
      originalPosition: first.originalPosition,
      outdated: first.outdated,
      resolvedById: isResolved(notes) ? author.id : null,
    };
  }

  /** Refuses a written note whose thread has too long texts. @throws DomainError thread refused */
  private async assertShort({ discussionId }: Note): Promise<void> {
    if (discussionId === null) return;
    const bytes = await this.discussions.countBytes(discussionId);
    if (bytes > BYTES_PER_THREAD) throw threadRefused('too-long');
  }

  /** Publishes that no thread is unresolved any more, if that is so since a note of a locked merge request was removed. */
  private async publishIfResolved(removed: Note): Promise<void> {
    if (!isResolvable(removed) || removed.resolvedAt !== null) return;
    const { projectId, noteableId } = removed;
    if (await this.discussions.isUnresolved(noteableId)) return;
    await this.events.publish(new DiscussionsResolved(projectId, noteableId));
  }

  private async find(target: Issuable, reader: Subject, id: number): Promise<Note> {
    const note = await this.notes.findIn(target, id);
    const [found] = note === null ? [] : await this.readable.filter([note], reader);
    if (found === undefined) throw recordNotFound('note');
    return found;
  }

  private async findEditable(
    access: ProjectAccess,
    target: Issuable,
    caller: User,
    id: number,
  ): Promise<Note> {
    const note = await this.find(target, caller, id);
    const isAuthor = note.authorId === caller.id;
    if (!isAuthor && !allows(access, 'note:edit-any')) throw forbidden();
    if (!mayDiscuss(access, target)) throw forbidden();
    return note;
  }

  private async describe(note: Note): Promise<AuthoredNote> {
    const [authored] = await this.loadAuthors([note]);
    if (authored === undefined) throw recordNotFound('note');
    return authored;
  }

  private async loadAuthors(notes: readonly Note[]): Promise<AuthoredNote[]> {
    const people = await this.users.findAuthors(
      notes.flatMap(({ authorId, resolvedById }) => [authorId, resolvedById ?? authorId]),
    );
    return notes.map((note) => ({
      note,
      author: authorOf(people, note.authorId),
      resolver: note.resolvedById === null ? null : authorOf(people, note.resolvedById),
    }));
  }
}

/**
 * @throws DomainError for a body that is blank (docs/reference/conventions.md#required-parameters)
 * or longer than a description may be
 */
export function checkBody(body: string): void {
  if (body.trim() === '') throw noteBodyMissing();
  assertValid({ noteBody: descriptionProblems(body) });
}

/** @throws DomainError actions without effect */
function assertEffect(applied: AppliedActions): AppliedActions {
  if (applied.summary.length === 0) throw actionsWithoutEffect();
  return applied;
}
