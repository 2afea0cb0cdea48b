import type { INestApplicationContext } from '@nestjs/common';
import {
  type ImportedNote,
  type IssuableType,
  LabelsRepository,
  NotesRepository,
} from '../../../modules/issuables/index.js';
import { IssuesRepository } from '../../../modules/issues/index.js';
import { MergeRequestsRepository, VersionsService } from '../../../modules/merge-requests/index.js';
import type { Project } from '../../../modules/projects/index.js';
import { PushLock } from '../../../modules/storage/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { ProjectImporterContext, ProjectRecords } from './project-records.js';
import type { RemoteRecord } from './remote-record.js';

/** The most notes, and characters of notes, of one issue or merge request. */
const MAX_NOTES = 10_000;
const MAX_NOTE_CHARACTERS = 32 * 1024 * 1024;
const NOTES_PER_STATEMENT = 500;

/** A system note on a mention from another project, which not every reader of this one may see. */
const FOREIGN_MENTION = /^_?mentioned in (?:issue|merge request|commit)?\s*[\w.-]+\/[\w.-]+[#!@]/i;

const STATUSES = ['unchecked', 'can_be_merged', 'cannot_be_merged'] as const;
const OPEN_STATES: readonly string[] = ['opened', 'reopened'];

/**
 * Takes over the issues and merge requests of a project. Each is one transaction with its labels and notes, and its number
 * says whether it is there: a repetition after any interruption adds what is missing.
 */
export class IssuableImporter {
  private readonly app: INestApplicationContext;
  private readonly users: ProjectImporterContext['users'];
  private readonly work: UnitOfWork;

  /** @param milestones of the project, by title */
  constructor(
    private readonly context: ProjectImporterContext,
    private readonly records: ProjectRecords,
    private readonly project: Project,
    private readonly milestones: ReadonlyMap<string, number>,
  ) {
    this.app = context.app;
    this.users = context.users;
    this.work = this.app.get(UnitOfWork);
  }

  async importIssues(): Promise<void> {
    const issues = this.app.get(IssuesRepository);
    const known = await issues.numbersOf(this.project.id);
    const query = { order_by: 'created_at', sort: 'asc' };
    await this.records.each(
      'issues',
      '/issues',
      (record) => this.importIssue(record, known),
      query,
    );
  }

  private async importIssue(record: RemoteRecord, known: ReadonlySet<number>): Promise<void> {
    if (known.has(record.iid())) {
      this.records.count('issues');
      return;
    }
    const shared = await this.sharedFields(record);
    const notes = await this.readNotes('issues', record, '#');
    await this.work.run(async () => {
      const labels = await this.resolveLabels(record);
      const inserted = await this.app.get(IssuesRepository).insertImported(this.project.id, {
        ...shared,
        state:
          record.oneOf('state', ['opened', 'closed', 'reopened'] as const) === 'closed'
            ? 'closed'
            : 'opened',
        confidential: record.boolean('confidential', false),
        dueDate: record.optionalDay('due_date'),
      });
      if (inserted !== null) await this.insertLabelsAndNotes('Issue', inserted, labels, notes);
    });
    this.records.count('issues');
  }

  async importMergeRequests(): Promise<void> {
    const known = await this.app.get(MergeRequestsRepository).numbersOf(this.project.id);
    const query = { state: 'all', order_by: 'created_at', sort: 'asc' };
    const add = (record: RemoteRecord): Promise<void> => this.importMergeRequest(record, known);
    await this.records.each('merge requests', '/merge_requests', add, query);
  }

  private async importMergeRequest(
    record: RemoteRecord,
    known: ReadonlySet<number>,
  ): Promise<void> {
    const iid = record.iid();
    if (known.has(iid)) {
      this.records.count('merge requests');
      return;
    }
    const shared = await this.sharedFields(record);
    const notes = await this.readNotes('merge_requests', record, '!');
    const versions = await this.readVersions(record);
    const remoteSource = record.optionalInteger('source_project_id');
    const sourceProjectId =
      remoteSource === null ? null : (this.context.localIds.get(remoteSource) ?? null);
    const state = record.oneOf('state', ['opened', 'reopened', 'closed', 'merged'] as const);
    const isOrphan = sourceProjectId === null && OPEN_STATES.includes(state);
    if (isOrphan) {
      this.records.problem(`!${String(iid)}`, 'its source project is not here: it is closed');
    }
    const branches = {
      projectId: this.project.id,
      sourceProjectId,
      sourceBranch: record.line('source_branch'),
      targetBranch: record.line('target_branch'),
    };
    const projectIds = [this.project.id, sourceProjectId ?? this.project.id];
    await this.app.get(PushLock).hold({ projectIds, userId: null }, async () => {
      const labels = await this.resolveLabels(record);
      const inserted = await this.app.get(MergeRequestsRepository).insertImported(this.project.id, {
        ...shared,
        ...branches,
        state: isOrphan ? 'closed' : state,
        mergeStatus: record.oneOf('merge_status', STATUSES, 'unchecked'),
        mergeCommitSha: record.optionalOid('merge_commit_sha'),
      });
      if (inserted === null) return;
      await this.insertLabelsAndNotes('MergeRequest', inserted, labels, notes);
      const request = { ...branches, id: inserted, iid };
      const recorder = this.app.get(VersionsService);
      const recorded = await recorder.recordImported(request, versions);
      const isOpen = OPEN_STATES.includes(state) && !isOrphan;
      const newest = isOpen ? await recorder.record(request) : null;
      if (recorded === 0 && newest === null) {
        this.records.problem(
          `!${String(iid)}`,
          'its commits are not in the repository: it shows no changes',
        );
      }
    });
    this.records.count('merge requests');
  }

  /** Reads what issues and merge requests have in common. */
  private async sharedFields(record: RemoteRecord) {
    const createdAt = record.time('created_at');
    const description = record.optionalText('description');
    const { authorId, text } = await this.users.attribute(
      record.optionalRecord('author'),
      createdAt,
      description ?? '',
    );
    const assignee = record.optionalRecord('assignee');
    const assigned = assignee === null ? null : await this.users.find(assignee);
    const milestone = record.optionalRecord('milestone')?.optionalLine('title') ?? null;
    return {
      iid: record.iid(),
      title: record.line('title'),
      description: text === '' ? null : text,
      authorId,
      assigneeIds: assigned === null ? [] : [assigned.id],
      milestoneId: milestone === null ? null : (this.milestones.get(milestone) ?? null),
      createdAt,
      updatedAt: record.timeOr('updated_at', createdAt),
    };
  }

  /** Finds the labels of an issue or merge request, and makes those that the list of labels lacked. */
  private async resolveLabels(record: RemoteRecord): Promise<number[]> {
    const labels = this.app.get(LabelsRepository);
    const names = record.lines('labels');
    const found = await labels.resolve(this.project.id, names, { create: true });
    return found.map(({ id }) => id);
  }

  /** Inserts the labels and notes of a new issue or merge request, in its unit of work. */
  private async insertLabelsAndNotes(
    type: IssuableType,
    id: number,
    labelIds: readonly number[],
    notes: readonly ImportedNote[],
  ): Promise<void> {
    const { id: projectId } = this.project;
    if (labelIds.length > 0) await this.app.get(LabelsRepository).replace({ type, id }, labelIds);
    for (let first = 0; first < notes.length; first += NOTES_PER_STATEMENT) {
      const some = notes.slice(first, first + NOTES_PER_STATEMENT);
      await this.app.get(NotesRepository).insertImported({ type, id, projectId }, some);
    }
  }

  /** Reads the notes on an issue or merge request, oldest first. */
  private async readNotes(
    segment: 'issues' | 'merge_requests',
    record: RemoteRecord,
    sigil: '#' | '!',
  ): Promise<ImportedNote[]> {
    const what = `${sigil}${String(record.iid())}`;
    const found: (ImportedNote & { readonly remoteId: number })[] = [];
    let characters = 0;
    const path = `/${segment}/${String(record.integer('id'))}/notes`;
    for await (const note of this.records.list(path, `${what}: notes`)) {
      const body = note.optionalText('body') ?? '';
      const system = note.boolean('system', false);
      if (system && FOREIGN_MENTION.test(body)) {
        this.records.problem(what, 'mentions from other projects are left out');
        continue;
      }
      characters += body.length;
      if (found.length === MAX_NOTES || characters > MAX_NOTE_CHARACTERS) {
        this.records.problem(what, 'has too many notes, or too long ones: the last are left out');
        break;
      }
      const createdAt = note.time('created_at');
      const { authorId, text } = await this.users.attribute(
        note.optionalRecord('author'),
        createdAt,
        body,
      );
      const updatedAt = note.timeOr('updated_at', createdAt);
      const remoteId = note.integer('id');
      found.push({ remoteId, authorId, body: text, system, createdAt, updatedAt });
    }
    return found
      .sort((one, other) => one.remoteId - other.remoteId)
      .map(({ remoteId: _, ...note }) => note);
  }

  /** Reads the versions of a merge request, oldest first; none from servers that have none. */
  private async readVersions(record: RemoteRecord) {
    const versions: { start: string; head: string; createdAt: Date }[] = [];
    const path = `/merge_requests/${String(record.integer('id'))}/versions`;
    for await (const version of this.records.list(path, null)) {
      const start = version.optionalOid('start_commit_sha');
      const head = version.optionalOid('head_commit_sha');
      const createdAt = version.time('created_at');
      if (start !== null && head !== null) versions.push({ start, head, createdAt });
      if (versions.length === MAX_NOTES) break;
    }
    return versions.reverse();
  }
}
