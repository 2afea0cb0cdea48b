import { type Checkout, FIRST_COMMIT } from './checkout.js';
import { pushDirectly } from './direct-push.js';
import type { MadeProject, Person } from './factories.js';
import { blobObject, commitObject, type GitObject, treeObject } from './git-objects.js';
import type { PushedProjects } from './pushed-projects.js';
import type { Trellis } from './trellis.js';

const HEADS = 'refs/heads/';

export interface BegunWork {
  project: MadeProject;
  /** The first commit, on `master`. */
  head: string;
  branches: BranchWork;
  /** A working copy with that commit. */
  work: Checkout;
}

/** IDs of blobs by the names of files. */
type Files = ReadonlyMap<string, string>;

/** Makes branches of any shape in memory and pushes them, by force. */
export class BranchWork {
  /** Files of each commit. */
  private readonly files: Map<string, Files>;
  private unsent: GitObject[] = [];
  private counter = 1;

  /** @param other knows commits to go on from; the first commit of working copies without it */
  constructor(
    private readonly trellis: Trellis,
    private readonly project: MadeProject,
    private readonly person: Person,
    other?: BranchWork,
  ) {
    this.files = other?.files ?? new Map([[FIRST_COMMIT.oid, FIRST_COMMIT.files]]);
  }

  /** In a project of its own, in which no branch is protected. */
  static async begin(
    trellis: Trellis,
    owner: Person,
    projects: PushedProjects,
  ): Promise<BegunWork> {
    const { project, head, work } = await projects.make({ visibilityLevel: 20 });
    await trellis
      .as(owner)
      .put(`/projects/${String(project.id)}/repository/branches/master/unprotect`)
      .expect(200);
    return { project, head, work, branches: new BranchWork(trellis, project, owner) };
  }

  /**
   * @param refspecs a commit and a full ref name each; without a commit the ref is deleted
   * @returns what the service had git print, line by line
   */
  async push(...refspecs: string[]): Promise<string[]> {
    const targets = refspecs.map((refspec) => {
      const at = refspec.indexOf(':');
      return [refspec.slice(at + 1), at === 0 ? null : refspec.slice(0, at)] as const;
    });
    const by = { project: this.project, person: this.person };
    const printed = await pushDirectly(this.trellis, by, new Map(targets), this.unsent);
    if (targets.some(([, target]) => target !== null)) this.unsent = [];
    return printed;
  }

  /** A commit on top of another one, pushed to a branch; returns the commit. */
  async commit(branch: string, from: string, file = branch): Promise<string> {
    const oid = this.make(from, { file, message: `Change ${file}` });
    await this.push(`${oid}:${HEADS}${branch}`);
    return oid;
  }

  /**
   * A commit, which is pushed later; returns it.
   * @param from its parent; null begins a history without a common commit
   */
  make(from: string | null, { file = 'file.txt', message = 'A change' } = {}): string {
    this.counter += 1;
    const blob = this.add(blobObject(`${message} ${String(this.counter)}\n`));
    const before = from === null ? [] : this.filesOf(from);
    return this.addCommit(new Map([...before, [file, blob]]), from === null ? [] : [from], message);
  }

  /** A merge of two commits, pushed to a branch; returns the merge. Of what both have, it has ours. */
  async merge(branch: string, ours: string, theirs: string): Promise<string> {
    const files = new Map([...this.filesOf(theirs), ...this.filesOf(ours)]);
    const oid = this.addCommit(files, [ours, theirs], `Merge commit '${theirs}' into HEAD`);
    await this.push(`${oid}:${HEADS}${branch}`);
    return oid;
  }

  private addCommit(files: Files, parents: string[], message: string): string {
    const tree = this.add(treeObject(files));
    const oid = this.add(commitObject(tree, parents, message));
    this.files.set(oid, files);
    return oid;
  }

  private add(object: GitObject): string {
    this.unsent.push(object);
    return object.oid;
  }

  private filesOf(oid: string): Files {
    const files = this.files.get(oid);
    if (files === undefined) throw new Error(`${oid} was not made here`);
    return files;
  }
}
