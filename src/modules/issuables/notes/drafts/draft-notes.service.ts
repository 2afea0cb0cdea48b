import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import {
  assertValid,
  conflict,
  forbidden,
  recordNotFound,
} from '../../../../platform/errors/index.js';
import { MIB } from '../../../../platform/limits/index.js';
import type { ProjectAccess } from '../../../authorization/index.js';
import { type User, UsersRepository } from '../../../users/index.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import type { Issuable } from '../../model/issuable.js';
import { descriptionProblems, mayDiscuss } from '../../model/issuable.rules.js';
import { QuickActionExecutors } from '../../model/quick-actions.js';
import { draftRefused, issuableNotFound } from '../../model/refusals.js';
import {
  ACTIONS_PER_TEXT,
  QuickActionReader,
  type TextWithActions,
} from '../../references/quick-action-reader.js';
import { discussionIdOf, firstNoteOf, isResolvable, threadAt } from '../discussion.js';
import { DiscussionsRepository } from '../discussions.repository.js';
import { DiscussionsService, mayResolve } from '../discussions.service.js';
import type { DiffPosition } from '../note.entity.js';
import { NotesService } from '../notes.service.js';
import type { DraftNote } from './draft-note.entity.js';
import { DraftNotesRepository, type DraftOwner } from './draft-notes.repository.js';

/** The most drafts of one author on a merge request, and bytes of their texts: all are published at once. */
export const DRAFTS_PER_REQUEST = 100;
const DRAFT_BYTES_PER_REQUEST = 4 * MIB;

/** How often drafts are read that are changed while they are published. */
const PUBLISHING_ATTEMPTS = 3;

interface NewDraft {
  readonly body: string;
  /** 40 hexadecimal digits; absent: it begins a discussion. */
  readonly discussionId?: string | undefined;
  /** Whether publishing it resolves the discussion. */
  readonly resolves: boolean;
  readonly position: DiffPosition | null;
  readonly commitSha: string | null;
}

/** Whose drafts, and where. The caller has checked that the author may read the merge request. */
interface DraftPlace {
  readonly access: ProjectAccess;
  readonly request: Issuable;
  readonly author: User;
}

/** Notes on merge requests that only their authors see until they publish them (docs/reference/v4-draft-notes.md). */
@Injectable()
export class DraftNotesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly drafts: DraftNotesRepository,
    private readonly discussions: DiscussionsRepository,
    private readonly resolutions: DiscussionsService,
    private readonly notes: NotesService,
    private readonly kinds: IssuableKinds,
    private readonly users: UsersRepository,
    private readonly quickActions: QuickActionReader,
    private readonly executors: QuickActionExecutors,
  ) {}

  /** Lists the author's drafts, the oldest first. */
  list(place: DraftPlace): Promise<DraftNote[]> {
    return this.drafts.findAll(ownerOf(place));
  }

  /** @throws DomainError record not found */
  async read(place: DraftPlace, id: number): Promise<DraftNote> {
    const draft = await this.drafts.findOne(ownerOf(place), id);
    if (draft === null) throw recordNotFound('draft-note');
    return draft;
  }

  /** @throws DomainError forbidden where the discussion is locked, invalid fields, draft refused, record not found */
  async create(place: DraftPlace, input: NewDraft): Promise<DraftNote> {
    assertMayDiscuss(place);
    assertBody(input.body);
    const { body, resolves, position, commitSha } = input;
    const discussionId = await this.findThread(place, input);
    return this.work.run(async () => {
      // Locked against deletion, before the merge request (docs/lock-order.md): the erasure of an account removes the drafts that it finds.
      if ((await this.users.hold(place.author.id)) === null) throw issuableNotFound('MergeRequest');
      await this.kinds.of('MergeRequest').lock([place.request.id]);
      await this.assertRoom(place, body);
      return this.drafts.insert(ownerOf(place), {
        ...{ body, discussionId, resolves, commitSha },
        position: discussionId === null ? position : null,
      });
    });
  }

  /** Changes the text and the position of a draft, as far as they are given. @throws DomainError as `create` */
  async update(
    place: DraftPlace,
    id: number,
    input: { readonly body: string | undefined; readonly position: DiffPosition | undefined },
  ): Promise<DraftNote> {
    assertMayDiscuss(place);
    if (input.body !== undefined) assertBody(input.body);
    return this.work.run(async () => {
      await this.kinds.of('MergeRequest').lock([place.request.id]);
      const before = await this.read(place, id);
      const { body = before.body, position = before.position } = input;
      await this.assertRoom(place, body, id);
      const isReply = before.discussionId !== null;
      const after = await this.drafts.update(id, { body, position: isReply ? null : position });
      if (after === null) throw recordNotFound('draft-note');
      return after;
    });
  }

  /** @throws DomainError record not found */
  async remove(place: DraftPlace, id: number): Promise<void> {
    if (!(await this.drafts.remove(ownerOf(place), id))) throw recordNotFound('draft-note');
  }

  /** Makes a note of a draft. @throws DomainError record not found; as `publishAll` */
  async publish(place: DraftPlace, id: number): Promise<void> {
    await this.publishRead(place, async () => [await this.read(place, id)]);
  }

  /**
   * Makes notes of all drafts of the author, in their order and in one unit of work, and carries out their quick actions after that.
   * @throws DomainError forbidden where the discussion is locked, thread refused, conflict if the drafts are changed all the time
   */
  async publishAll(place: DraftPlace): Promise<void> {
    await this.publishRead(place, () => this.drafts.findAll(ownerOf(place)));
  }

  private async publishRead(place: DraftPlace, read: () => Promise<DraftNote[]>): Promise<void> {
    assertMayDiscuss(place);
    for (let attempt = 1; attempt <= PUBLISHING_ATTEMPTS; attempt += 1) {
      const drafts = await read();
      if (drafts.length === 0) return;
      const texts: TextWithActions[] = [];
      for (const { body } of drafts) texts.push(await this.quickActions.read(body));
      if (await this.publishUnchanged(place, drafts, texts)) return;
    }
    throw conflict();
  }

  /** @returns false, with nothing done, if a draft is not what it was when it was read */
  private async publishUnchanged(
    place: DraftPlace,
    drafts: readonly DraftNote[],
    texts: readonly TextWithActions[],
  ): Promise<boolean> {
    const { access, author, request: target } = place;
    const actions = texts.flatMap((text) => text.actions).slice(0, ACTIONS_PER_TEXT);
    try {
      await this.executors
        .of(target.type)
        .run({ access, author, target, actions }, async (carryOut) => {
          await this.kinds.of(target.type).lock([target.id]);
          if (!(await this.drafts.removeUnchanged(drafts))) throw new DraftsChanged();
          for (const [index, draft] of drafts.entries()) {
            await this.publishOne(place, draft, texts[index]?.text ?? '');
          }
          if (actions.length > 0) await carryOut();
        });
      return true;
    } catch (error) {
      if (error instanceof DraftsChanged) return false;
      throw error;
    }
  }

  private async publishOne(place: DraftPlace, draft: DraftNote, body: string): Promise<void> {
    const { access, request, author } = place;
    const { discussionId, position } = draft;
    const thread =
      discussionId === null ? [] : await this.discussions.findNotes(request, discussionId);
    const isReply = discussionId !== null && thread.length > 0;
    const begun = position === null ? undefined : threadAt(position);
    if (body !== '') {
      const input = { body, thread: isReply ? { replyTo: discussionId } : begun };
      await this.notes.write(access, request, author, input);
    }
    const mayStill = thread.some(isResolvable) && mayResolve(access, request, author);
    if (!draft.resolves || !isReply || !mayStill) return;
    const id = discussionIdOf(discussionId);
    await this.resolutions.resolve(access, request, author, { id, resolved: true });
  }

  /** Finds the thread that a draft replies to; null if it begins one. @throws DomainError draft refused */
  private async findThread(
    { access, request, author }: DraftPlace,
    { discussionId: wanted, resolves }: NewDraft,
  ): Promise<number | null> {
    const first = wanted === undefined ? null : firstNoteOf(wanted);
    const notes = first === null ? [] : await this.discussions.findNotes(request, first);
    const visible = await this.notes.describeReadable(notes, author);
    const mayReply = visible.some(({ note }) => !note.system || note.discussionId !== null);
    const isPermitted = notes.some(isResolvable) && mayResolve(access, request, author);
    if (resolves && !isPermitted) throw draftRefused('may-not-resolve');
    if (wanted !== undefined && !mayReply) throw draftRefused('no-thread');
    return first;
  }

  /** Counts the drafts of a locked merge request. @throws DomainError draft refused, record not found */
  private async assertRoom(
    place: DraftPlace,
    body: string,
    replacedId: number | null = null,
  ): Promise<void> {
    const { id, type } = place.request;
    if (!(await this.kinds.of(type).find([id])).has(id)) throw issuableNotFound(type);
    const { drafts, bytes } = await this.drafts.measure(ownerOf(place), replacedId);
    if (drafts >= DRAFTS_PER_REQUEST) throw draftRefused('too-many');
    if (bytes + Buffer.byteLength(body) > DRAFT_BYTES_PER_REQUEST) throw draftRefused('too-long');
  }
}

/** A draft is not what it was when it was read. */
class DraftsChanged extends Error {}

const ownerOf = ({ request, author }: DraftPlace): DraftOwner => ({
  mergeRequestId: request.id,
  authorId: author.id,
});

/** @throws DomainError forbidden where the discussion is locked for the author */
function assertMayDiscuss({ access, request }: DraftPlace): void {
  if (!mayDiscuss(access, request)) throw forbidden();
}

function assertBody(body: string): void {
  const blank = body.trim() === '' ? [{ rule: 'blank' } as const] : [];
  assertValid({ noteBody: [...blank, ...descriptionProblems(body)] });
}
