import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type Commit,
  RepositoryMissingError,
  TAG_PREFIX,
} from '../../../../git/index.js';
import { forbidden, notFound, recordNotFound } from '../../../../platform/errors/index.js';
import { mapPage, Page, type PageRequest } from '../../../../platform/pagination/index.js';
import {
  allows,
  type ProjectAccess,
  type ProjectRef,
  WideLists,
} from '../../../authorization/index.js';
import { ProjectStorage } from '../../../storage/index.js';
import { authorOf, type User, UsersRepository } from '../../../users/index.js';
import { listCommits } from '../../shared/commit-text.js';
import { CombinedStatuses } from './combined-statuses.js';
import type { AuthoredStatus } from './commit-statuses.service.js';
import {
  CommitStatusesRepository,
  type PipelineKey,
  type PipelineSummary,
} from './commit-statuses.repository.js';
import {
  type JobFilter,
  type PipelineRow,
  type PipelineRowFilter,
  PipelinesRepository,
} from './pipelines.repository.js';
import { combineMask, type CombinedState, masksOf } from './status.rules.js';

/** The statuses of one commit on one ref, taken together. Its id is that of the first of them. */
export interface Pipeline extends PipelineSummary {
  sha: string;
  status: CombinedState;
}

/** A pipeline with what its own answer shows. */
export interface PipelineDetails extends Pipeline {
  /** The author of its first status; the ghost account for a deleted one. */
  user: User;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** The average of the newest statuses of each name that have one, in percent with two decimals. */
  coverage: string | null;
  /** Whether its ref is a tag. */
  isTag: boolean;
}

/** Filters of lists; all of them have to match. */
export interface PipelineFilter extends Omit<PipelineRowFilter, 'masks'> {
  /** Each may be none that a pipeline ever has. */
  statuses?: readonly string[] | undefined;
}

/** The statuses of a pipeline, with what they have in common. */
export interface PipelineJobs {
  pipeline: Pipeline;
  isTag: boolean;
  /** Null where the reader may not read code, or git has lost it. */
  commit: Commit | null;
  jobs: Page<AuthoredStatus>;
}

/** Derives pipelines from commit statuses. */
@Injectable()
export class Pipelines {
  constructor(
    private readonly statuses: CommitStatusesRepository,
    private readonly combined: CombinedStatuses,
    private readonly pipelines: PipelinesRepository,
    private readonly storage: ProjectStorage,
    private readonly users: UsersRepository,
    private readonly wide: WideLists,
  ) {}

  /**
   * Lists the pipelines of a project, by id. No statement is made for a project without statuses.
   * @param filter null where no pipeline can match
   * @throws DomainError forbidden
   * @throws SlotsTakenError
   */
  async list(
    access: ProjectAccess,
    filter: PipelineFilter | null,
    request: PageRequest,
  ): Promise<Page<Pipeline>> {
    await this.assertReadable(access);
    const { id, hasStatuses, client } = access.project;
    if (!hasStatuses || filter === null) return Page.of<Pipeline>([], request);
    const masks = filter.statuses && masksOf(filter.statuses);
    // All statuses of each pipeline are read, of which there may be thousands.
    const list = () => this.pipelines.list(id, { ...filter, masks }, request);
    return mapPage(await this.wide.read(client ?? {}, list), combine);
  }

  /** @throws DomainError record not found, forbidden */
  async read(access: ProjectAccess, id: number): Promise<PipelineDetails> {
    return this.describe(access.project, await this.find(access, id));
  }

  /**
   * Reads the pipeline of the newest commit of a branch or tag.
   * @param ref the default branch when absent
   * @throws DomainError record not found, forbidden
   */
  async readLatest(access: ProjectAccess, ref?: string): Promise<PipelineDetails> {
    await this.assertReadable(access);
    const { project } = access;
    const name = ref ?? project.defaultBranch;
    const sha = name === null ? null : await this.headOf(project, name);
    if (name === null || sha === null) throw recordNotFound('pipeline');
    const row = await this.pipelines.findByKey({ projectId: project.id, sha, ref: name });
    if (row === null) throw recordNotFound('pipeline');
    return this.describe(project, row);
  }

  /**
   * Finds the pipeline of a commit on a branch for the reader of something else that shows it.
   * @returns null without any, and for those who may not read pipelines
   */
  async findForReader(
    access: ProjectAccess,
    { sha, ref }: Omit<PipelineKey, 'projectId'>,
  ): Promise<PipelineDetails | null> {
    const { id: projectId, hasStatuses } = access.project;
    if (!hasStatuses || !(await this.mayRead(access))) return null;
    const row = await this.pipelines.findByKey({ projectId, sha, ref });
    return row && { ...(await this.withUser(row)), isTag: false };
  }

  /**
   * Lists the statuses of a pipeline, newest first.
   * @throws DomainError record not found, forbidden
   */
  async listJobs(
    access: ProjectAccess,
    id: number,
    filter: JobFilter,
    request: PageRequest,
  ): Promise<PipelineJobs> {
    const { project } = access;
    const row = await this.find(access, id);
    const page = await this.pipelines.listJobs(row, filter, request);
    const authors = await this.users.findAuthors(page.items.map(({ authorId }) => authorId));
    return {
      pipeline: combine(row),
      isTag: await this.isTag(project, row.ref),
      commit: allows(access, 'code:read') ? await this.findCommit(project, row.sha) : null,
      jobs: mapPage(page, (status) => ({ status, author: authorOf(authors, status.authorId) })),
    };
  }

  /** Returns the newest pipeline of a commit, null without any. No statement is made for a project without statuses. */
  async newestOf(
    { id: projectId, hasStatuses }: Pick<ProjectRef, 'id' | 'hasStatuses'>,
    sha: string,
  ): Promise<Pipeline | null> {
    if (!hasStatuses) return null;
    const newest = await this.statuses.findNewestPipeline(projectId, sha);
    if (newest === null) return null;
    const status = await this.combined.ofPipeline({ projectId, sha, ref: newest.ref });
    return status && { ...newest, sha, status };
  }

  /**
   * Returns the ref of a commit's pipeline.
   * @throws DomainError not found
   */
  async refOf(projectId: number, sha: string, id: number): Promise<string> {
    const ref = await this.statuses.findRefOfPipeline(projectId, sha, id);
    if (ref === null) throw notFound('pipeline');
    return ref;
  }

  /** Returns the ids of a commit's pipelines on some refs, by these refs. */
  async idsOf(
    projectId: number,
    sha: string,
    refs: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const pipelines = await this.statuses.findPipelineIds(projectId, sha, [...new Set(refs)]);
    return new Map(pipelines.map(({ ref, id }) => [ref, id]));
  }

  private async find(access: ProjectAccess, id: number): Promise<PipelineRow> {
    await this.assertReadable(access);
    const row = await this.pipelines.find(access.project.id, id);
    if (row === null) throw recordNotFound('pipeline');
    return row;
  }

  private async assertReadable(access: ProjectAccess): Promise<void> {
    if (!(await this.mayRead(access))) throw forbidden();
  }

  private async mayRead(access: ProjectAccess): Promise<boolean> {
    if (allows(access, 'pipeline:read-any')) return true;
    return allows(access, 'pipeline:read') && this.pipelines.arePublic(access.project.id);
  }

  private async describe(project: ProjectRef, row: PipelineRow): Promise<PipelineDetails> {
    return { ...(await this.withUser(row)), isTag: await this.isTag(project, row.ref) };
  }

  private async withUser(row: PipelineRow): Promise<Omit<PipelineDetails, 'isTag'>> {
    const { authorId, startedAt, finishedAt, coverage } = row;
    const user = authorOf(await this.users.findAuthors([authorId]), authorId);
    return { ...combine(row), user, startedAt, finishedAt, coverage };
  }

  /** What git has of a project; null where its repository is missing, since pipelines are in the database. */
  private async fromGit<T>(read: Promise<T>): Promise<T | null> {
    return read.catch((error: unknown) => {
      if (error instanceof RepositoryMissingError) return null;
      throw error;
    });
  }

  private async headOf(project: ProjectRef, name: string): Promise<string | null> {
    const heads = await this.findRefs(project, name);
    const head = heads?.find((oid) => oid !== null);
    if (head === undefined) return null;
    return this.storage.snapshot(project).commitOf(head);
  }

  private async isTag(project: ProjectRef, name: string): Promise<boolean> {
    const [branch, tag] = (await this.findRefs(project, name)) ?? [];
    return (branch ?? null) === null && (tag ?? null) !== null;
  }

  private findRefs(project: ProjectRef, name: string) {
    const { refs } = this.storage.snapshot(project);
    return this.fromGit(refs.getAll([BRANCH_PREFIX + name, TAG_PREFIX + name]));
  }

  /** With a message as in lists: each job shows it. */
  private async findCommit(project: ProjectRef, sha: string): Promise<Commit | null> {
    const commits = await this.fromGit(listCommits(this.storage.snapshot(project), [sha]));
    return commits?.[0] ?? null;
  }
}

function combine(row: PipelineRow): Pipeline {
  const { id, sha, ref, mask, createdAt, updatedAt, targetUrl } = row;
  const status = combineMask(mask);
  if (status === null) throw new Error(`Pipeline ${String(id)} has no statuses`);
  return { id, sha, ref, status, createdAt, updatedAt, targetUrl };
}
