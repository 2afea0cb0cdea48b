import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CommandResult, dataCommand, git, tryGit } from '../unit/git/support/workshop.js';
import type { MadeProject, Person } from './factories.js';
import { blobObject, commitObject, treeObject } from './git-objects.js';
import { packOfObjects } from './raw-pack.js';
import { SeededFolder } from './seeded-folder.js';
import type { Trellis } from './trellis.js';

const FIRST = { message: 'First commit', file: 'file.txt' };

/** The first commit of all working copies that begin with one. */
export const FIRST_COMMIT = makeFirstCommit();

const EMPTY = new SeededFolder(async (folder) => {
  await git(['init', '--quiet'], { cwd: folder });
});
const WITH_FIRST_COMMIT = new SeededFolder(async (folder) => {
  await EMPTY.copyTo(folder);
  const input = packOfObjects(FIRST_COMMIT.objects);
  await git(['unpack-objects', '-q'], { cwd: folder, input });
  await git(['reset', '--quiet', '--hard', FIRST_COMMIT.oid], { cwd: folder });
});

/** A user's working copy in a folder of its own, worked on with the real git. */
export class Checkout {
  private constructor(
    readonly folder: string,
    /** Address of the project with the user's credential in it. */
    readonly remote: string,
    /** Changes that were committed. */
    private counter: number,
  ) {}

  /** @param person null pushes and fetches without a credential */
  static create(trellis: Trellis, project: MadeProject, person: Person | null): Promise<Checkout> {
    return Checkout.copy(EMPTY, remoteOf(trellis, project, person), 0);
  }

  /** Makes one with a commit of one file on `master`. */
  static withFirstCommit(
    trellis: Trellis,
    project: MadeProject,
    person: Person | null,
  ): Promise<Checkout> {
    return Checkout.copy(WITH_FIRST_COMMIT, remoteOf(trellis, project, person), 1);
  }

  private static async copy(
    seed: SeededFolder,
    remote: string,
    committed: number,
  ): Promise<Checkout> {
    const folder = await mkdtemp(path.join(tmpdir(), 'trellis-checkout-'));
    await seed.copyTo(folder);
    return new Checkout(folder, remote, committed);
  }

  /** Runs git there; anything but success fails the test. */
  git(...args: string[]): Promise<string> {
    return git(args, { cwd: this.folder });
  }

  try(...args: string[]): Promise<CommandResult> {
    return tryGit(args, { cwd: this.folder });
  }

  /** Commits a change of one file and answers the commit's ID. */
  async commit(message = 'A change', file = FIRST.file): Promise<string> {
    await writeFile(path.join(this.folder, file), this.nextContent(message));
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '--message', message);
    return this.readHead();
  }

  /**
   * Commits a change of one file for each message, all by one `git fast-import`, to the branch that is checked out.
   * Uncommitted changes are lost.
   * @returns the IDs of the commits, the oldest first
   */
  async commitAll(messages: string[], file = FIRST.file): Promise<string[]> {
    const branch = await this.git('symbolic-ref', 'HEAD');
    const tip = await this.readHead().catch(() => null);
    const commits = messages.map((message, index) => {
      const parent = index === 0 ? tip : `:${String(index)}`;
      return [
        `commit ${branch}`,
        `mark :${String(index + 1)}`,
        'committer Ada <ada@example.com> now',
        `${dataCommand(`${message}\n`)}${parent === null ? '' : `from ${parent}`}`,
        `M 100644 inline ${file}`,
        dataCommand(this.nextContent(message)),
      ].join('\n');
    });
    const marks = messages.map((_message, index) => `get-mark :${String(index + 1)}\n`);
    const oids = await git(['fast-import', '--quiet', '--date-format=now'], {
      cwd: this.folder,
      input: [...commits, ...marks].join(''),
    });
    await this.git('reset', '--quiet', '--hard');
    return oids.split('\n');
  }

  private nextContent(message: string): string {
    this.counter += 1;
    return contentOf(message, this.counter);
  }

  /** The commit that is checked out, from git's files: a process takes longer than git's work. */
  async readHead(): Promise<string> {
    const read = async (name: string) =>
      (await readFile(path.join(this.folder, '.git', name), 'utf8')).trim();
    const head = await read('HEAD');
    const symbolic = 'ref: ';
    return head.startsWith(symbolic) ? read(head.slice(symbolic.length)) : head;
  }

  push(...refspecs: string[]): Promise<CommandResult> {
    return this.try('push', this.remote, ...refspecs);
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

function makeFirstCommit() {
  const blob = blobObject(contentOf(FIRST.message, 1));
  const files = new Map([[FIRST.file, blob.oid]]);
  const tree = treeObject(files);
  const commit = commitObject(tree.oid, [], FIRST.message);
  return { oid: commit.oid, files, objects: [blob, tree, commit] };
}

function contentOf(message: string, counter: number): string {
  return `${message} ${String(counter)}\n`;
}

export function remoteOf(trellis: Trellis, project: MadeProject, person: Person | null): string {
  const url = new URL(`${trellis.url}/${project.fullPath}.git`);
  if (person !== null) {
    url.username = person.user.username;
    url.password = person.token;
  }
  return url.href;
}

/** Messages for a number of commits, counted from 1. */
export function numberedMessages(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Commit ${String(index + 1)}`);
}
