import { type Numbers, numbers, pickFrom } from '../unit/git/support/odd-history.js';
import { Checkout } from './checkout.js';
import { type MadeProject, type Person, unique } from './factories.js';
import type { Trellis } from './trellis.js';
import { until } from './until.js';

/** Of each client; checking them takes time. */
const MAX_FORKS = 5;

/** An upload that was acknowledged. */
export interface KeptUpload {
  /** The path of its address. */
  path: string;
  content: string;
}

/** What a client has been told to be done. */
export interface Acknowledged {
  /** Issues by title. */
  issues: string[];
  uploads: KeptUpload[];
  /** Merged requests, by the commit of the merge. */
  merges: string[];
  /** Commits that were pushed, each on a branch at the time. */
  commits: { project: number; oid: string }[];
}

const KINDS = [
  ...['push', 'pushMany', 'rewrite', 'deleteBranch', 'commitByApi', 'openIssue', 'merge', 'upload'],
  ...['fork', 'tag', 'deleteProject'],
] as const;

/** Clients that push, comment, merge, upload and delete at random, each in a project of its own, until they are stopped. */
export class WriteLoad {
  readonly acknowledged: Acknowledged = { issues: [], uploads: [], merges: [], commits: [] };
  /** The projects of the clients. */
  readonly projects: MadeProject[] = [];
  private readonly untried = [...KINDS];
  private steps = 0;
  private isStopped = false;
  private failure: unknown;
  private running: Promise<void>[] = [];
  private readonly checkouts: Checkout[] = [];

  constructor(
    private readonly trellis: Trellis,
    private readonly seed: number,
  ) {}

  /** Makes the projects, and begins. Resolves when every kind of step was taken. */
  async start(clients: number): Promise<void> {
    const made = await Promise.all(Array.from({ length: clients }, () => this.makeClient()));
    this.running = made.map((client, index) =>
      this.work(client, numbers(this.seed + index)).catch((error: unknown) => {
        this.failure ??= error;
      }),
    );
    await this.untilSteps(KINDS.length + clients);
  }

  /** Resolves when the clients have taken some more steps. @throws the first failure of a client */
  async untilSteps(count: number): Promise<void> {
    const goal = this.steps + count;
    await until(() => {
      this.throwFailure();
      return Promise.resolve(this.steps >= goal);
    });
  }

  /** Ends after the steps under way. @throws the first failure of a client */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.running);
    this.throwFailure();
  }

  async remove(): Promise<void> {
    await Promise.all(this.checkouts.map((checkout) => checkout.remove()));
  }

  private async makeClient(): Promise<LoadClient> {
    const owner = await this.trellis.factories.user({ projectsLimit: 1000 });
    const project = await this.trellis.factories.project(owner, { visibilityLevel: 20 });
    const checkout = await Checkout.create(this.trellis, project, owner);
    this.checkouts.push(checkout);
    this.projects.push(project);
    const client = new LoadClient(this.trellis, owner, project, checkout, this.acknowledged);
    await client.begin();
    return client;
  }

  private async work(client: LoadClient, random: Numbers): Promise<void> {
    while (!this.isStopped) {
      await client[this.untried.shift() ?? pickFrom([...KINDS], random)]();
      this.steps += 1;
    }
  }

  private throwFailure(): void {
    if (this.failure !== undefined) throw this.failure as Error;
  }
}

class LoadClient {
  private forks = 0;

  constructor(
    private readonly trellis: Trellis,
    private readonly owner: Person,
    private readonly project: MadeProject,
    private readonly checkout: Checkout,
    private readonly acknowledged: Acknowledged,
  ) {}

  async begin(): Promise<void> {
    await this.push();
    await this.api.put(`${this.path}/repository/branches/master/unprotect`).expect(200);
    const hook = { url: `http://user:${unique()}@hooks.example.com/`, token: unique() };
    await this.api.post(`${this.path}/hooks`, hook).expect(200);
  }

  private get api() {
    return this.trellis.as(this.owner);
  }

  private get path(): string {
    return `/projects/${String(this.project.id)}`;
  }

  private async pushRefs(...refspecs: string[]): Promise<void> {
    const { code, stderr } = await this.checkout.push('--force', ...refspecs);
    if (code !== 0) throw new Error(stderr);
  }

  async push(): Promise<void> {
    const oid = await this.checkout.commit();
    await this.pushRefs('HEAD:refs/heads/master');
    this.acknowledged.commits.push({ project: this.project.id, oid });
  }

  /** Several branches by one push, more than git keeps as single files after it. */
  async pushMany(): Promise<void> {
    const oids = await this.checkout.commitAll(['One', 'Two', 'Three']);
    const names = oids.map((_, index) => `many-${String(index)}`);
    await this.pushRefs(...oids.map((oid, index) => `${oid}:refs/heads/${names[index] ?? ''}`));
  }

  async rewrite(): Promise<void> {
    await this.checkout.git('commit', '--quiet', '--amend', '--message', `Rewritten ${unique()}`);
    await this.pushRefs('HEAD:refs/heads/master', 'HEAD:refs/heads/rewritten');
  }

  async deleteBranch(): Promise<void> {
    const name = `short-${unique()}`;
    await this.pushRefs(`HEAD:refs/heads/${name}`, `HEAD:refs/heads/${name}-kept`);
    await this.pushRefs(`:refs/heads/${name}`);
  }

  async commitByApi(): Promise<void> {
    const { body } = await this.api
      .post(`${this.path}/repository/commits`, {
        branch_name: 'master',
        commit_message: 'By the API',
        actions: [{ action: 'create', file_path: unique(), content: 'text\n' }],
      })
      .expect(200);
    const oid = (body as { id: string }).id;
    this.acknowledged.commits.push({ project: this.project.id, oid });
  }

  async openIssue(): Promise<void> {
    const title = `Issue ${unique()}`;
    const { body } = await this.api.post(`${this.path}/issues`, { title }).expect(200);
    this.acknowledged.issues.push(title);
    const { id } = body as { id: number };
    await this.api.post(`${this.path}/issues/${String(id)}/notes`, { body: 'Text' }).expect(200);
  }

  async merge(): Promise<void> {
    const branch = `topic-${unique()}`;
    const branches = `${this.path}/repository/branches`;
    await this.api.post(branches, { branch_name: branch, ref: 'master' }).expect(200);
    await this.api
      .post(`${this.path}/repository/commits`, {
        branch_name: branch,
        commit_message: 'Topic',
        actions: [{ action: 'create', file_path: unique(), content: 'text\n' }],
      })
      .expect(200);
    const proposal = { source_branch: branch, target_branch: 'master', title: branch };
    const { body } = await this.api.post(`${this.path}/merge_requests`, proposal).expect(200);
    const { id } = body as { id: number };
    const merged = await this.api
      .put(`${this.path}/merge_requests/${String(id)}/merge`, { should_remove_source_branch: true })
      .expect(200);
    const { merge_commit_sha: commit } = merged.body as { merge_commit_sha: string };
    this.acknowledged.merges.push(commit);
    await this.checkout.git('fetch', '--quiet', this.checkout.remote, 'master');
    await this.checkout.git('reset', '--quiet', '--hard', 'FETCH_HEAD');
  }

  async upload(): Promise<void> {
    const content = `Content ${unique()}`;
    const { body } = await this.api
      .call('post', `${this.path}/uploads`)
      .attach('file', Buffer.from(content), { filename: 'notes.txt' })
      .expect(200);
    const path = `/${this.project.fullPath}${(body as { url: string }).url}`;
    this.acknowledged.uploads.push({ path, content });
  }

  async fork(): Promise<void> {
    if (this.forks === MAX_FORKS) return;
    this.forks += 1;
    const person = await this.trellis.factories.user();
    await this.trellis
      .as(person)
      .post(`/projects/fork/${String(this.project.id)}`)
      .expect(200);
  }

  async tag(): Promise<void> {
    const name = `v-${unique()}`;
    await this.checkout.git('tag', '--annotate', '--message', 'Release', name);
    await this.pushRefs(`refs/tags/${name}:refs/tags/${name}`);
  }

  async deleteProject(): Promise<void> {
    const project = await this.trellis.factories.project(this.owner);
    const remote = this.checkout.remote.replace(this.project.fullPath, project.fullPath);
    await this.checkout.git('push', '--quiet', remote, 'HEAD:refs/heads/master');
    await this.api.delete(`/projects/${String(project.id)}`).expect(200);
  }
}
