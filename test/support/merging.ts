import type { Test } from 'supertest';
import type { Checkout } from './checkout.js';
import { type MadeProject, type Person, type ProjectOptions, unique } from './factories.js';
import { eventsOn, pathOf, rowOf, systemNotes, todosFor } from './merge-requests.js';
import { PushedProjects } from './pushed-projects.js';
import { PushedRefs } from './pushed-refs.js';
import type { Trellis } from './trellis.js';
import { until } from './until.js';

/** What tests look at of a merge request's answer. */
export interface RequestBody {
  id: number;
  iid: number;
  project_id: number;
  source_project_id: number;
  source_branch: string;
  target_branch: string;
  title: string;
  state: string;
  sha: string;
  merge_status: string;
  merge_commit_sha: string | null;
  merge_when_build_succeeds: boolean;
  should_remove_source_branch: boolean;
  updated_at: string;
}

export interface Proposal {
  /** Of the source branch; made up when absent. */
  branch?: string;
  /** The file that the branch changes: one of its own when absent. */
  file?: string;
  content?: string;
  message?: string;
  by?: Person;
  /** Further fields of the request. */
  fields?: object;
}

/** A project with a commit on `master`, and what merge requests into it are made and merged with. */
export class MergePlace {
  readonly refs: PushedRefs;

  constructor(
    private readonly trellis: Trellis,
    readonly owner: Person,
    readonly project: MadeProject,
    readonly work: Checkout,
    /** What `master` began with. */
    readonly head: string,
  ) {
    this.refs = new PushedRefs(trellis, project);
  }

  path(rest = ''): string {
    return `/projects/${String(this.project.id)}${rest}`;
  }

  /** Commits to a branch through the API, on top of `master` if it is not there. */
  async commit(
    branch_name: string,
    { file, content = 'x\n', message = 'Work', by = this.owner }: Proposal = {},
  ): Promise<string> {
    const head = await this.refs.target(`refs/heads/${branch_name}`);
    if (head === null) await this.branch(branch_name, by);
    const isThere = file !== undefined && (await this.hasFile(head ?? 'master', file));
    const action = { action: isThere ? 'update' : 'create', file_path: file ?? unique(), content };
    const { body } = await this.trellis
      .as(by)
      .post(this.path('/repository/commits'), {
        branch_name,
        commit_message: message,
        actions: [action],
      })
      .expect(200);
    return (body as { id: string }).id;
  }

  private async hasFile(commit: string, file: string): Promise<boolean> {
    const names = await this.refs.git('ls-tree', '-r', '--name-only', commit);
    return names.split('\n').includes(file);
  }

  /** Makes a branch at `master` through the API. */
  async branch(branch_name: string, by = this.owner): Promise<void> {
    const made = { branch_name, ref: 'master' };
    await this.trellis.as(by).post(this.path('/repository/branches'), made).expect(200);
  }

  /** Opens a request from a branch with one commit more than `master`. */
  async propose(proposal: Proposal = {}): Promise<RequestBody> {
    const branch = proposal.branch ?? `topic-${unique()}`;
    await this.commit(branch, proposal);
    return this.open(branch, proposal);
  }

  async open(
    branch: string,
    { by = this.owner, fields = {} }: Proposal = {},
  ): Promise<RequestBody> {
    const { body } = await this.trellis
      .as(by)
      .post(this.path('/merge_requests'), {
        source_branch: branch,
        target_branch: 'master',
        title: `Merge ${branch}`,
        ...fields,
      })
      .expect(200);
    return body as RequestBody;
  }

  accept(request: RequestBody, body: object = {}, by = this.owner): Test {
    return this.trellis.as(by).put(`${pathOf(request)}/merge`, body);
  }

  /** Has it merged when the build succeeds. */
  async wait(request: RequestBody, body: object = {}, by = this.owner): Promise<RequestBody> {
    const wish = { merge_when_build_succeeds: true, ...body };
    const answer = await this.accept(request, wish, by).expect(200);
    return answer.body as RequestBody;
  }

  cancel(request: RequestBody, by = this.owner): Test {
    const path = `${pathOf(request)}/cancel_merge_when_build_succeeds`;
    return this.trellis.as(by).put(path);
  }

  update(request: RequestBody, body: object, by = this.owner): Test {
    return this.trellis.as(by).put(pathOf(request), body);
  }

  async read(request: RequestBody, by = this.owner): Promise<RequestBody> {
    const { body } = await this.trellis.as(by).get(pathOf(request)).expect(200);
    return body as RequestBody;
  }

  /** Posts a status of a request's head on its branch. */
  post(request: RequestBody, state: string, { name = 'ci', by = this.owner } = {}): Test {
    const path = `/projects/${String(request.source_project_id)}/statuses/${request.sha}`;
    return this.trellis.as(by).post(path, { state, name, ref: request.source_branch });
  }

  master(): Promise<string | null> {
    return this.refs.target('refs/heads/master');
  }

  /** What the service has noted on a request, the oldest first. */
  notes(request: RequestBody): Promise<string[]> {
    return systemNotes(this.trellis, request);
  }

  /** What the feeds tell of a request, the oldest first. */
  async events(request: RequestBody): Promise<{ action: string; author_id: number }[]> {
    const events = await eventsOn(this.trellis, request);
    return events.map(({ action, author_id }) => ({ action, author_id }));
  }

  /** Todos for a request, the oldest first. */
  todos(request: RequestBody): Promise<{ user_id: number; action: string; state: string }[]> {
    return todosFor(this.trellis, request);
  }

  /** Of a request, as the database has it. */
  row(request: RequestBody): Promise<Record<string, unknown>> {
    return rowOf(this.trellis, request);
  }
}

/** Makes places to merge in, and cleans up after them. */
export class Merging {
  private readonly pushed: PushedProjects;

  private constructor(
    private readonly trellis: Trellis,
    readonly owner: Person,
  ) {
    this.pushed = new PushedProjects(trellis, owner);
  }

  static async begin(trellis: Trellis): Promise<Merging> {
    return new Merging(trellis, await trellis.factories.user({ projectsLimit: 1000 }));
  }

  async place(options: ProjectOptions = {}): Promise<MergePlace> {
    const { project, work, head } = await this.pushed.make(options);
    return new MergePlace(this.trellis, this.owner, project, work, head);
  }

  /** A working copy of a project for somebody. */
  checkout(project: MadeProject, person: Person): Promise<Checkout> {
    return this.pushed.checkout(project, person);
  }

  /** Resolves when no job is left that merges anything, or finishes a merge. */
  settled(): Promise<unknown> {
    return until(async () => {
      const jobs = await this.trellis.rows(
        `SELECT 1 FROM outbox WHERE name IN ('finish-merge', 'merge-when-build-succeeds') LIMIT 1`,
      );
      return jobs.length === 0;
    });
  }

  /** A request, once it is merged. */
  merged(place: MergePlace, request: RequestBody): Promise<RequestBody> {
    return until(async () => {
      const read = await place.read(request);
      return read.state === 'merged' ? read : null;
    });
  }

  end(): Promise<void> {
    return this.pushed.remove();
  }
}
