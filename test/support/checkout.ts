import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CommandResult, dataCommand, git, tryGit } from '../unit/git/support/workshop.js';
import type { MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** A user's working copy in a folder of its own, worked on with the real git. */
export class Checkout {
  private counter = 0;

  private constructor(
    readonly folder: string,
    /** Address of the project with the user's credential in it. */
    readonly remote: string,
  ) {}

  /** @param person null pushes and fetches without a credential */
  static async create(
    trellis: Trellis,
    project: MadeProject,
    person: Person | null,
  ): Promise<Checkout> {
    const folder = await mkdtemp(path.join(tmpdir(), 'trellis-checkout-'));
    const checkout = new Checkout(folder, remoteOf(trellis, project, person));
    await checkout.git('init', '--quiet');
    return checkout;
  }

  /** Runs git there; anything but success fails the test. */
  git(...args: string[]): Promise<string> {
    return git(args, { cwd: this.folder });
  }

  try(...args: string[]): Promise<CommandResult> {
    return tryGit(args, { cwd: this.folder });
  }

  /** Commits a change of one file and answers the commit's ID. */
  async commit(message = 'A change', file = 'file.txt'): Promise<string> {
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
  async commitAll(messages: string[], file = 'file.txt'): Promise<string[]> {
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
    return `${message} ${String(this.counter)}\n`;
  }

  /** The commit that is checked out, from git's files: a process takes longer than git's work. */
  private async readHead(): Promise<string> {
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
