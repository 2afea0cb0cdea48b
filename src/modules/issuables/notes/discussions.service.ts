import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { forbidden, notFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import {
  describeInParts,
  type Page,
  type PageRequest,
} from '../../../platform/pagination/index.js';
import { allows, type ProjectAccess, type Subject } from '../../authorization/index.js';
import type { User } from '../../users/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import { mayDiscuss } from '../model/issuable.rules.js';
import type { Issuable } from '../model/issuable.js';
import { issuableNotFound, notResolvable } from '../model/refusals.js';
import { type BegunThread, discussionIdOf, firstNoteOf, isResolvable } from './discussion.js';
import { DiscussionsRepository } from './discussions.repository.js';
import type { Note } from './note.entity.js';
import { DiscussionsResolved } from './note.events.js';
import { type AuthoredNote, NotesRepository } from './notes.repository.js';
import { CommandsOnly, NotesService, type WrittenNote } from './notes.service.js';

/** A thread, or a note that stands by itself. */
export interface Discussion {
  /** 40 hexadecimal digits. */
  readonly id: string;
  readonly isIndividual: boolean;
  /** Oldest first, at least one. */
  readonly notes: readonly AuthoredNote[];
}

interface NewText {
  readonly body: string;
  /** Ignored for callers who may not set times. */
  readonly createdAt?: Date | undefined;
  /** As of a note. */
  readonly headSha?: string | undefined;
}

/**
 * Reads discussions of notes on issues and merge requests, begins them and replies (docs/reference/v4-discussions.md). Callers check
 * that the user may read the issue or merge request.
 */
@Injectable()
export class DiscussionsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly kinds: IssuableKinds,
    private readonly discussions: DiscussionsRepository,
    private readonly notes: NotesService,
    private readonly notesRepository: NotesRepository,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Lists discussions in the order of their oldest notes. A page may hold fewer than it is asked for, because cross-references that
   * the reader may not see are left out.
   */
  async list(target: Issuable, reader: Subject, request: PageRequest): Promise<Page<Discussion>> {
    const withoutReferences = reader === null;
    return describeInParts(
      await this.discussions.page(target, request, { withoutReferences }),
      ({ textBytes }) => textBytes,
      async (part) => {
        const notes = await this.discussions.findNotesOf(part);
        return toDiscussions(await this.notes.describeReadable(notes, reader));
      },
    );
  }

  /** @throws DomainError not found */
  async read(target: Issuable, reader: Subject, id: string): Promise<Discussion> {
    const first = firstNoteOf(id);
    const notes = first === null ? [] : await this.discussions.findNotes(target, first);
    const [discussion] = toDiscussions(await this.notes.describeReadable(notes, reader));
    if (discussion === undefined) throw notFound('discussion');
    return discussion;
  }

  /**
   * Reads a note of a discussion.
   * @throws DomainError not found
   */
  async readNote(
    target: Issuable,
    reader: Subject,
    { discussionId, noteId }: { discussionId: string; noteId: number },
  ): Promise<AuthoredNote> {
    const { notes } = await this.read(target, reader, discussionId);
    const found = notes.find(({ note }) => note.id === noteId);
    if (found === undefined) throw notFound('note');
    return found;
  }

  /** Begins a thread. @throws DomainError as `NotesService.create` */
  async create(
    access: ProjectAccess,
    target: Issuable,
    author: User,
    { thread, ...text }: NewText & { readonly thread: BegunThread },
  ): Promise<Discussion | CommandsOnly> {
    const first = await this.notes.create(access, target, author, { ...text, thread });
    if (first instanceof CommandsOnly) return first;
    return { id: discussionIdOf(first.note.id), isIndividual: false, notes: [first] };
  }

  /**
   * Replies to a discussion.
   * @throws DomainError not found, thread refused; as `NotesService.create`
   */
  async reply(
    access: ProjectAccess,
    target: Issuable,
    author: User,
    { discussionId, ...text }: NewText & { readonly discussionId: string },
  ): Promise<WrittenNote> {
    // Whether the reader sees it: cross-references are hidden from some.
    const { notes } = await this.read(target, author, discussionId);
    const replyTo = keyOf((notes[0] as AuthoredNote).note);
    return this.notes.create(access, target, author, { ...text, thread: { replyTo } });
  }

  /**
   * Resolves a thread, or has it be unresolved again.
   * @throws DomainError not found; forbidden unless the caller is the author of the merge request or a developer, and for notes
   *   that stand by themselves
   */
  async resolve(
    access: ProjectAccess,
    target: Issuable,
    caller: User,
    { id, resolved }: { readonly id: string; readonly resolved: boolean },
  ): Promise<Discussion> {
    const { notes } = await this.read(target, caller, id);
    const [first] = notes.filter(({ note }) => isResolvable(note));
    if (first === undefined || !mayResolve(access, target, caller)) throw forbidden();
    await this.setResolved(target, caller, { discussionId: keyOf(first.note), resolved });
    return this.read(target, caller, id);
  }

  /**
   * Resolves one note of a thread, or has it be unresolved again.
   * @throws DomainError not found; forbidden unless the caller is the author of the merge request or a developer; not resolvable
   */
  async resolveNote(
    access: ProjectAccess,
    target: Issuable,
    caller: User,
    { note, resolved }: { readonly note: Note; readonly resolved: boolean },
  ): Promise<AuthoredNote> {
    if (!mayResolve(access, target, caller)) throw forbidden();
    if (!isResolvable(note)) throw notResolvable();
    const discussionId = keyOf(note);
    await this.setResolved(target, caller, { discussionId, resolved, noteId: note.id });
    return this.notes.read(target, caller, note.id);
  }

  /**
   * Resolves some threads of a locked merge request, in the caller's unit of work, each with a note that says why.
   */
  async resolveThreads(
    request: Issuable,
    resolverId: number,
    discussionIds: readonly number[],
    text: string,
  ): Promise<void> {
    const { projectId, id } = request;
    const resolved = await this.discussions.resolveThreads(id, resolverId, discussionIds);
    if (resolved.length === 0) return;
    await this.discussions.addSystemReplies(resolved, resolverId, text);
    await this.kinds.of(request.type).touch(id);
    await this.recordWhetherAllResolved({ projectId, id }, resolverId);
  }

  private setResolved(
    { type, id, projectId }: Issuable,
    { id: callerId }: User,
    change: { discussionId: number; resolved: boolean; noteId?: number },
  ): Promise<void> {
    return this.work.run(async () => {
      // Of two resolutions at once the second one finds nothing to change.
      await this.kinds.of(type).lock([id]);
      const resolver = change.resolved ? callerId : null;
      const { discussionId, noteId } = change;
      if (!(await this.discussions.setResolved(discussionId, resolver, noteId))) return;
      if (!(await this.kinds.of(type).touch(id))) throw issuableNotFound(type);
      if (change.resolved) await this.recordWhetherAllResolved({ projectId, id }, callerId);
    });
  }

  /** Notes that no thread of a locked merge request is unresolved, if that is so, and publishes it. */
  private async recordWhetherAllResolved(
    { projectId, id }: Pick<Issuable, 'projectId' | 'id'>,
    resolverId: number,
  ): Promise<void> {
    if (await this.discussions.isUnresolved(id)) return;
    const target = { type: 'MergeRequest', id, projectId } as const;
    await this.notesRepository.insertSystemNote(target, resolverId, ALL_RESOLVED);
    await this.events.publish(new DiscussionsResolved(projectId, id));
  }
}

const ALL_RESOLVED = 'resolved all threads';

/** Whether a user may resolve the threads of an issue or merge request. */
export const mayResolve = (access: ProjectAccess, target: Issuable, caller: User): boolean =>
  !access.project.archived &&
  mayDiscuss(access, target) &&
  (target.authorId === caller.id || allows(access, 'note:resolve'));

/** The ID of the note that began the discussion of a note. */
const keyOf = ({ id, discussionId }: Note): number => discussionId ?? id;

/** Puts notes, oldest first, together to discussions in the order of their oldest notes. */
function toDiscussions(notes: readonly AuthoredNote[]): Discussion[] {
  const threads = new Map<number, AuthoredNote[]>();
  for (const authored of notes) {
    const key = keyOf(authored.note);
    const thread = threads.get(key);
    if (thread === undefined) threads.set(key, [authored]);
    else thread.push(authored);
  }
  return [...threads].map(([key, thread]) => ({
    id: discussionIdOf(key),
    isIndividual: thread.every(({ note }) => note.discussionId === null),
    notes: thread,
  }));
}
