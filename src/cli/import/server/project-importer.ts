import type { INestApplicationContext } from '@nestjs/common';
import { type ProjectAccess, ProjectAccessRepository } from '../../../modules/access/index.js';
import { PROJECT_LEVELS } from '../../../modules/groups/index.js';
import { ProjectHooksService } from '../../../modules/hooks/index.js';
import {
  type ImportedNote,
  type IssuableType,
  LabelsRepository,
  LabelsService,
  MilestonesRepository,
  NotesRepository,
} from '../../../modules/issuables/index.js';
import { IssuesRepository } from '../../../modules/issues/index.js';
import { MergeRequestsRepository, VersionsService } from '../../../modules/merge-requests/index.js';
import {
  DeployKeysService,
  type Project,
  ProjectMembersRepository,
  ProjectsRepository,
  ProjectsService,
} from '../../../modules/projects/index.js';
import { ProtectedBranchesService, PushLock } from '../../../modules/repository/index.js';
import { UnitOfWork, violatedUnique } from '../../../platform/database/index.js';
import { CommandError } from '../../errors.js';
import { refusalText } from '../refusal-text.js';
import type { ImportReport } from './import-report.js';
import type { UserFinder } from './user-finder.js';
import { MalformedRecordError, type RemoteRecord } from './remote-record.js';
import { type RemoteServer, RemoteServerError } from './remote-server.js';

/** The most notes, and characters of notes, of one issue or merge request. */
const MAX_NOTES = 10_000;
const MAX_NOTE_CHARACTERS = 32 * 1024 * 1024;
const NOTES_PER_STATEMENT = 500;

/** Levels of members of projects; an owner of a personal project there is a master here. */
const MASTER = 40;

/** A system note on a mention from another project, which not every reader of this one may see. */
const FOREIGN_MENTION = /^_?mentioned in (?:issue|merge request|commit)?\s*[\w.-]+\/[\w.-]+[#!@]/i;

const STATUSES = ['unchecked', 'can_be_merged', 'cannot_be_merged'] as const;
const OPEN_STATES: readonly string[] = ['opened', 'reopened'];

export interface RemoteProject {
  readonly id: number;
  /** `namespace/project`. */
  readonly path: string;
  readonly record: RemoteRecord;
}

/** What the contents of all projects need. */
export interface ProjectImporterContext {
  readonly app: INestApplicationContext;
  readonly server: RemoteServer;
  readonly users: UserFinder;
  readonly report: ImportReport;
  /** IDs of projects there and here. */
  readonly localIds: ReadonlyMap<number, number>;
}

/**
 * Takes over what a project has besides its repository. An issue or merge request is one transaction with its labels and
 * notes, and its number says whether it is there: a repetition after any interruption adds what is missing.
 */
export class ProjectImporter {
  private readonly app: INestApplicationContext;
  private readonly server: RemoteServer;
  private readonly users: UserFinder;
  private readonly report: ImportReport;
  private readonly work: UnitOfWork;
  private readonly base: string;
  private milestones: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly context: ProjectImporterContext,
    private readonly remote: RemoteProject,
    private readonly project: Project,
  ) {
    this.app = context.app;
    this.server = context.server;
    this.users = context.users;
    this.report = context.report;
    this.work = this.app.get(UnitOfWork);
    this.base = `/projects/${String(remote.id)}`;
  }

  /** @param hasRepository without it merge requests would show no changes, and wait for a repetition */
  async import(hasRepository: boolean): Promise<void> {
    await this.importMembers();
    await this.importLabels();
    await this.importMilestones();
    this.milestones = await this.app.get(MilestonesRepository).idsByTitle(this.project.id);
    await this.importIssues();
    if (hasRepository) {
      await this.importMergeRequests();
      await this.importProtectedBranches();
    }
    await this.importDeployKeys();
    await this.importHooks();
    await this.applySettings(hasRepository);
  }

  private importMembers(): Promise<void> {
    return this.each('members', '/members', async (record) => {
      const user = await this.users.find(record);
      if (user === null) return;
      const accessLevel = Math.min(record.level('access_level', 0), MASTER);
      if (!PROJECT_LEVELS.includes(accessLevel)) return;
      const terms = { accessLevel, expiresAt: record.optionalDay('expires_at') };
      const members = this.app.get(ProjectMembersRepository);
      if (await members.insert(this.project.id, user.id, terms)) this.report.add('members');
    });
  }

  private async importLabels(): Promise<void> {
    const reader = { access: await this.access(), userId: this.users.importer.id };
    await this.each('labels', '/labels', async (record) => {
      const name = record.line('name');
      const labels = this.app.get(LabelsRepository);
      if ((await labels.findByName(this.project.id, name)) !== null) return;
      await this.app.get(LabelsService).create(reader, {
        name,
        color: record.line('color'),
        description: record.optionalText('description', 2000),
        priority: record.optionalLevel('priority'),
      });
      this.report.add('labels');
    });
  }

  private importMilestones(): Promise<void> {
    return this.eachOldestFirst('milestones', '/milestones', async (record) => {
      const createdAt = record.time('created_at');
      const isNew = await this.app.get(MilestonesRepository).insertImported(this.project.id, {
        iid: record.iid(),
        title: record.line('title'),
        description: record.optionalText('description'),
        state: record.oneOf('state', ['active', 'closed'] as const),
        dueDate: record.optionalDay('due_date'),
        startDate: record.optionalDay('start_date'),
        createdAt,
        updatedAt: record.timeOr('updated_at', createdAt),
      });
      if (isNew) this.report.add('milestones');
    });
  }

  private async importIssues(): Promise<void> {
    const issues = this.app.get(IssuesRepository);
    const known = await issues.numbersOf(this.project.id);
    const query = { order_by: 'created_at', sort: 'asc' };
    await this.each('issues', '/issues', (record) => this.importIssue(record, known), query);
  }

  private async importIssue(record: RemoteRecord, known: ReadonlySet<number>): Promise<void> {
    const iid = record.iid();
    if (known.has(iid)) return;
    const shared = await this.sharedFields(record);
    const notes = await this.readNotes('issues', record, '#');
    const id = await this.work.run(async () => {
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
      return inserted;
    });
    if (id === null) return;
    this.report.add('issues');
    this.report.add('notes', notes.length);
  }

  private async importMergeRequests(): Promise<void> {
    const known = await this.app.get(MergeRequestsRepository).numbersOf(this.project.id);
    const query = { state: 'all', order_by: 'created_at', sort: 'asc' };
    const add = (record: RemoteRecord): Promise<void> => this.importMergeRequest(record, known);
    await this.each('merge requests', '/merge_requests', add, query);
  }

  private async importMergeRequest(
    record: RemoteRecord,
    known: ReadonlySet<number>,
  ): Promise<void> {
    const iid = record.iid();
    if (known.has(iid)) return;
    const shared = await this.sharedFields(record);
    const notes = await this.readNotes('merge_requests', record, '!');
    const versions = await this.readVersions(record);
    const remoteSource = record.optionalInteger('source_project_id');
    const sourceProjectId =
      remoteSource === null ? null : (this.context.localIds.get(remoteSource) ?? null);
    const state = record.oneOf('state', ['opened', 'reopened', 'closed', 'merged'] as const);
    const isOrphan = sourceProjectId === null && OPEN_STATES.includes(state);
    if (isOrphan) {
      this.problem(`!${String(iid)}`, 'its source project is not here: it is closed');
    }
    const branches = {
      projectId: this.project.id,
      sourceProjectId,
      sourceBranch: record.line('source_branch'),
      targetBranch: record.line('target_branch'),
    };
    const locked = [this.project.id, sourceProjectId ?? this.project.id];
    const id = await this.app.get(PushLock).hold(locked, async () => {
      const labels = await this.resolveLabels(record);
      const inserted = await this.app.get(MergeRequestsRepository).insertImported(this.project.id, {
        ...shared,
        ...branches,
        state: isOrphan ? 'closed' : state,
        mergeStatus: record.oneOf('merge_status', STATUSES, 'unchecked'),
        mergeCommitSha: record.optionalOid('merge_commit_sha'),
      });
      if (inserted === null) return null;
      await this.insertLabelsAndNotes('MergeRequest', inserted, labels, notes);
      const request = { ...branches, id: inserted, iid };
      const recorder = this.app.get(VersionsService);
      const recorded = await recorder.recordImported(request, versions);
      const isOpen = OPEN_STATES.includes(state) && !isOrphan;
      const newest = isOpen ? await recorder.record(request) : null;
      if (recorded === 0 && newest === null) {
        this.problem(
          `!${String(iid)}`,
          'its commits are not in the repository: it shows no changes',
        );
      }
      return inserted;
    });
    if (id === null) return;
    this.report.add('merge requests');
    this.report.add('notes', notes.length);
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
    const milestone = record.optionalRecord('milestone')?.optionalLine('title') ?? null;
    return {
      iid: record.iid(),
      title: record.line('title'),
      description: text === '' ? null : text,
      authorId,
      assigneeId: assignee === null ? null : ((await this.users.find(assignee))?.id ?? null),
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
    const path = `${this.base}/${segment}/${String(record.integer('id'))}/notes`;
    for await (const note of this.listPermitted(path, `${what}: notes`)) {
      const body = note.optionalText('body') ?? '';
      const system = note.boolean('system', false);
      if (system && FOREIGN_MENTION.test(body)) {
        this.problem(what, 'mentions from other projects are left out');
        continue;
      }
      characters += body.length;
      if (found.length === MAX_NOTES || characters > MAX_NOTE_CHARACTERS) {
        this.problem(what, 'has too many notes, or too long ones: the last are left out');
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
    const path = `${this.base}/merge_requests/${String(record.integer('id'))}/versions`;
    for await (const version of this.listPermitted(path, null)) {
      const start = version.optionalOid('start_commit_sha');
      const head = version.optionalOid('head_commit_sha');
      const createdAt = version.time('created_at');
      if (start !== null && head !== null) versions.push({ start, head, createdAt });
      if (versions.length === MAX_NOTES) break;
    }
    return versions.reverse();
  }

  private async importProtectedBranches(): Promise<void> {
    const service = this.app.get(ProtectedBranchesService);
    const { project } = await this.access();
    await this.each('protected branches', '/repository/branches', async (record) => {
      const name = record.line('name');
      if (record.boolean('protected', false)) {
        await service.protect(project, name, {
          developersCanPush: record.boolean('developers_can_push', false),
          developersCanMerge: record.boolean('developers_can_merge', false),
        });
        this.report.add('protected branches');
      } else if (name === project.defaultBranch) {
        // The import of the repository has protected it, as the settings of this server say.
        await service.unprotect(project, name);
      }
    });
  }

  private importDeployKeys(): Promise<void> {
    return this.each('deploy keys', '/keys', async (record) => {
      const input = { title: record.line('title'), key: record.line('key', 16_384) };
      await this.app.get(DeployKeysService).add(this.users.importer, this.project.id, input);
      this.report.add('deploy keys');
    });
  }

  private importHooks(): Promise<void> {
    return this.eachOldestFirst('hooks', '/hooks', async (record) => {
      const url = record.line('url', 2_048);
      const flag = (name: string): boolean => record.boolean(name, false);
      const isNew = await this.app.get(ProjectHooksService).createImported(this.project.id, {
        url,
        pushEvents: flag('push_events'),
        tagPushEvents: flag('tag_push_events'),
        issuesEvents: flag('issues_events'),
        noteEvents: flag('note_events'),
        mergeRequestsEvents: flag('merge_requests_events'),
        buildEvents: flag('build_events'),
        pipelineEvents: flag('pipeline_events'),
        wikiPageEvents: flag('wiki_page_events'),
        enableSslVerification: record.boolean('enable_ssl_verification', true),
      });
      if (!isNew) return;
      this.report.add('hooks');
      this.problem(
        `hook ${withoutSecrets(url)}`,
        'is disabled until it is saved, with its token if it has one',
      );
    });
  }

  /** Opens the project to its users: until now it is private, without issues and merge requests. */
  private async applySettings(hasMergeRequests: boolean): Promise<void> {
    const { record } = this.remote;
    const { importer } = this.users;
    const service = this.app.get(ProjectsService);
    const switches = {
      issuesEnabled: record.boolean('issues_enabled', true),
      mergeRequestsEnabled: hasMergeRequests && record.boolean('merge_requests_enabled', true),
    };
    await service.update(importer, await this.access(), { switches });
    try {
      const visibilityLevel = record.visibility();
      await service.update(importer, await this.access(), { visibilityLevel, switches: {} });
    } catch (error) {
      const reason = refusalText(error);
      if (reason === null) throw error;
      this.problem('', `stays private: ${reason}`);
    }
    const createdAt = record.timeOr('created_at', this.project.createdAt);
    const lastActivityAt = record.timeOr('last_activity_at', createdAt);
    await this.app.get(ProjectsRepository).update(this.project.id, { createdAt, lastActivityAt });
    if (record.boolean('archived', false)) {
      await service.setArchived(importer, this.project.id, true);
    }
  }

  /** Takes over each record of a list. Those that are malformed or refused are reported and left out. */
  private async each(
    what: string,
    path: string,
    add: (record: RemoteRecord) => Promise<void>,
    query: Record<string, string> = {},
  ): Promise<void> {
    for await (const record of this.listPermitted(this.base + path, what, query)) {
      await this.addOne(what, record, add);
    }
  }

  /** As `each`, for short lists that begin with the newest one. */
  private async eachOldestFirst(
    what: string,
    path: string,
    add: (record: RemoteRecord) => Promise<void>,
  ): Promise<void> {
    const records: RemoteRecord[] = [];
    for await (const record of this.listPermitted(this.base + path, what)) records.push(record);
    for (const record of records.reverse()) await this.addOne(what, record, add);
  }

  private async addOne(
    what: string,
    record: RemoteRecord,
    add: (record: RemoteRecord) => Promise<void>,
  ): Promise<void> {
    try {
      await add(record);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      const number = record.level('iid', 0);
      this.problem(number === 0 ? what : `${what} ${String(number)}`, reason);
    }
  }

  /**
   * Lists records. What the owner of the token may not read is reported.
   * @param what null if its absence is no problem
   */
  private async *listPermitted(
    path: string,
    what: string | null,
    query: Record<string, string> = {},
  ): AsyncGenerator<RemoteRecord> {
    try {
      yield* this.server.list(path, query);
    } catch (error) {
      if (!(error instanceof RemoteServerError) || ![403, 404].includes(error.status ?? 0))
        throw error;
      if (what !== null) this.problem(what, 'the token may not read them');
    }
  }

  private async access(): Promise<ProjectAccess> {
    const { id } = this.project;
    const found = await this.app.get(ProjectAccessRepository).find(this.users.importer, { id });
    if (found === null) throw new CommandError(`${this.remote.path} was deleted meanwhile.`);
    return found;
  }

  private problem(what: string, reason: string): void {
    const separator = what === '' || /^[#!]/.test(what) ? '' : ' ';
    this.report.problem(`${this.remote.path}${separator}${what}`, reason);
  }
}

/** Returns why a record is left out; null if the import has to end. */
function reasonOf(error: unknown): string | null {
  if (error instanceof MalformedRecordError) return error.message;
  if (violatedUnique(error) !== undefined)
    return 'there is another one of the same name or branches';
  return refusalText(error);
}

function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return 'without a valid address';
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}
