import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CommandResult, git, tryGit } from '../unit/git/support/workshop.js';
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
    this.counter += 1;
    await writeFile(path.join(this.folder, file), `${message} ${String(this.counter)}\n`);
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '--message', message);
    return this.git('rev-parse', 'HEAD');
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
