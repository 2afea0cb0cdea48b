import { setTimeout as delay } from 'node:timers/promises';
import { type Numbers, numbers, pickFrom } from '../unit/git/support/odd-history.js';
import { Checkout } from './checkout.js';
import { type MadeProject, type Person, unique } from './factories.js';
import type { Trellis } from './trellis.js';

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

/** Clients that push, comment, merge, upload and delete at random, each in a project of its own, until they are stopped. */
export class WriteLoad {
  readonly acknowledged: Acknowledged = { issues: [], uploads: [], merges: [], commits: [] };
  /** Steps that were completed, by their kind. */
  readonly steps = new Map<string, number>();
  private isStopped = false;
  private running: Promise<void>[] = [];
  private readonly checkouts: Checkout[] = [];

  constructor(
    private readonly trellis: Trellis,
    private readonly seed: number,
  ) {}

  /** Makes the projects, and begins. */
  async start(clients: number): Promise<void> {
    const made = await Promise.all(Array.from({ length: clients }, () => this.makeClient()));
    this.running = made.map((client, index) => this.work(client, numbers(this.seed + index)));
  }

  /** Ends after the steps under way. @throws the first failure of a client */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.running);
  }

  async remove(): Promise<void> {
    await Promise.all(this.checkouts.map((checkout) => checkout.remove()));
  }

  private async makeClient(): Promise<LoadClient> {
    const owner = await this.trellis.factories.user({ projectsLimit: 1000 });
    const project = await this.trellis.factories.project(owner, { visibilityLevel: 20 });
    const checkout = await Checkout.create(this.trellis, project, owner);
    this.checkouts.push(checkout);
    const client = new LoadClient(this.trellis, owner, project, checkout, this.acknowledged);
    await client.begin();
    return client;
  }

  private async work(client: LoadClient, random: Numbers): Promise<void> {
    const kinds = Object.keys(client.steps);
    while (!this.isStopped) {
      const kind = pickFrom(kinds, random);
      await client.steps[kind]?.();
      this.steps.set(kind, (this.steps.get(kind) ?? 0) + 1);
      await delay(1);
    }
  }
}

class LoadClient {
  private topics: string[] = [];

  readonly steps: Record<string, () => Promise<void>> = {
    push: () => this.push('master'),
    pushMany: () => this.pushMany(),
    rewrite: () => this.rewrite(),
    deleteBranch: () => this.deleteBranch(),
    commitByApi: () => this.commitByApi(),
    issue: () => this.openIssue(),
    merge: () => this.merge(),
    upload: () => this.upload(),
    fork: () => this.fork(),
    tag: () => this.tag(),
    deleteProject: () => this.deleteProject(),
  };

  constructor(
    private readonly trellis: Trellis,
    private readonly owner: Person,
    private readonly project: MadeProject,
    private readonly checkout: Checkout,
    private readonly acknowledged: Acknowledged,
  ) {}

  async begin(): Promise<void> {
    await this.push('master');
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

  private async push(branch: string): Promise<void> {
    const oid = await this.checkout.commit(`To ${branch}`);
    await this.pushRefs(`HEAD:refs/heads/${branch}`);
    this.acknowledged.commits.push({ project: this.project.id, oid });
  }

  /** Several branches by one push, more than git keeps as single files after it. */
  private async pushMany(): Promise<void> {
    const oids = await this.checkout.commitAll(['One', 'Two', 'Three']);
    const names = oids.map((_, index) => `many-${String(index)}`);
    await this.pushRefs(...oids.map((oid, index) => `${oid}:refs/heads/${names[index] ?? ''}`));
    this.topics.push(...names);
  }

  private async rewrite(): Promise<void> {
    await this.checkout.git('commit', '--quiet', '--amend', '--message', `Rewritten ${unique()}`);
    await this.pushRefs('HEAD:refs/heads/master', 'HEAD:refs/heads/rewritten');
  }

  private async deleteBranch(): Promise<void> {
    const name = `short-${unique()}`;
    await this.pushRefs(`HEAD:refs/heads/${name}`, `HEAD:refs/heads/${name}-kept`);
    await this.pushRefs(`:refs/heads/${name}`);
  }

  private async commitByApi(): Promise<void> {
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

  private async openIssue(): Promise<void> {
    const title = `Issue ${unique()}`;
    const { body } = await this.api.post(`${this.path}/issues`, { title }).expect(200);
    this.acknowledged.issues.push(title);
    const { id } = body as { id: number };
    await this.api.post(`${this.path}/issues/${String(id)}/notes`, { body: 'Text' }).expect(200);
  }

  private async merge(): Promise<void> {
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

  private async upload(): Promise<void> {
    const content = `Content ${unique()}`;
    const { body } = await this.api
      .call('post', `${this.path}/uploads`)
      .attach('file', Buffer.from(content), { filename: 'notes.txt' })
      .expect(200);
    const path = `/${this.project.fullPath}${(body as { url: string }).url}`;
    this.acknowledged.uploads.push({ path, content });
  }

  private async fork(): Promise<void> {
    const person = await this.trellis.factories.user();
    await this.trellis
      .as(person)
      .post(`/projects/fork/${String(this.project.id)}`)
      .expect(200);
  }

  private async tag(): Promise<void> {
    const name = `v-${unique()}`;
    await this.checkout.git('tag', '--annotate', '--message', 'Release', name);
    await this.pushRefs(`refs/tags/${name}:refs/tags/${name}`);
  }

  private async deleteProject(): Promise<void> {
    const project = await this.trellis.factories.project(this.owner);
    const remote = this.checkout.remote.replace(this.project.fullPath, project.fullPath);
    await this.checkout.git('push', '--quiet', remote, 'HEAD:refs/heads/master');
    await this.api.delete(`/projects/${String(project.id)}`).expect(200);
  }
}
