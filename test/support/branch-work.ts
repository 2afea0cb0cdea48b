import type { Checkout } from './checkout.js';
import type { MadeProject, Person } from './factories.js';
import type { PushedProjects } from './pushed-projects.js';
import type { Trellis } from './trellis.js';

const HEADS = 'refs/heads/';

export interface BegunWork {
  project: MadeProject;
  /** The first commit, on `master`. */
  head: string;
  branches: BranchWork;
}

/** Makes branches of any shape in a working copy and pushes them, by force. */
export class BranchWork {
  constructor(readonly work: Checkout) {}

  /** In a project of its own, in which no branch is protected. */
  static async begin(
    trellis: Trellis,
    owner: Person,
    projects: PushedProjects,
  ): Promise<BegunWork> {
    const { project, work, head } = await projects.make({ visibilityLevel: 20 });
    await trellis
      .as(owner)
      .put(`/projects/${String(project.id)}/repository/branches/master/unprotect`)
      .expect(200);
    return { project, head, branches: new BranchWork(work) };
  }

  /** Answers what git printed. */
  async push(...refspecs: string[]): Promise<string> {
    const { code, stderr } = await this.work.push('--force', ...refspecs);
    if (code !== 0) throw new Error(stderr);
    return stderr;
  }

  /** A commit on top of another one, pushed to a branch; answers the commit. */
  async commit(branch: string, from: string, file = branch): Promise<string> {
    await this.work.git('checkout', '--quiet', '--detach', from);
    const oid = await this.work.commit(`Change ${file}`, file);
    await this.push(`${oid}:${HEADS}${branch}`);
    return oid;
  }

  /** A merge of two commits, pushed to a branch; answers the merge. */
  async merge(branch: string, ours: string, theirs: string): Promise<string> {
    await this.work.git('checkout', '--quiet', '--detach', ours);
    await this.work.git('merge', '--quiet', '--no-ff', '--no-edit', theirs);
    const oid = await this.work.git('rev-parse', 'HEAD');
    await this.push(`${oid}:${HEADS}${branch}`);
    return oid;
  }
}
