import { chmod, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  holdHousekeepingLock,
  HOUSEKEEPING_LOCK,
} from '../../src/git/storage/housekeeping-lock.js';
import { ProjectStorage } from '../../src/modules/storage/index.js';
import { git, tryGit } from '../unit/git/support/workshop.js';
import { readRef } from './direct-push.js';
import type { MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';
import { until } from './until.js';

export interface RefEvent {
  action: string;
  ref: string;
  before: string;
  after: string;
  author: number;
}

/** Gives each object of a repository a file of its own. */
const UNPACK = `mv objects/pack packed && mkdir objects/pack &&
  for one in packed/*.pack; do git unpack-objects -q <"$one"; done`;

/** Looks at a project's repository and at the record of what was pushed to it. */
export class PushedRefs {
  constructor(
    private readonly trellis: Trellis,
    readonly project: MadeProject,
  ) {}

  get folder(): string {
    return this.trellis.app.get(ProjectStorage).path({ id: this.project.id, storage: 'default' });
  }

  /** Runs git in the service's own repository. */
  git(...args: string[]): Promise<string> {
    return git(args, { cwd: this.folder });
  }

  /** What a full ref name points at, or null. */
  target(ref: string): Promise<string | null> {
    return readRef(this.folder, ref);
  }

  /** What all refs point at, by their full names. */
  async targets(): Promise<Map<string, string>> {
    const lines = await this.git('for-each-ref', '--format=%(objectname) %(refname)');
    const refs = lines.split('\n').filter(Boolean);
    return new Map(refs.map((line) => [line.slice(41), line.slice(0, 40)]));
  }

  /** Makes an object unreadable, as a failing disk does. */
  async damage(oid: string): Promise<void> {
    const file = join(this.folder, 'objects', oid.slice(0, 2), oid.slice(2));
    await this.git('-c', `alias.unpack=!${UNPACK}`, 'unpack');
    await chmod(file, 0o600);
    await writeFile(file, 'nothing that git could read');
  }

  /** All refs with what they point at. */
  async all(): Promise<string[]> {
    return (await this.git('for-each-ref', '--format=%(refname)')).split('\n').filter(Boolean);
  }

  /** Pushes told in the feeds, the oldest first. */
  events(): Promise<RefEvent[]> {
    return this.trellis.rows<RefEvent>(
      `SELECT action, pushed_ref->>'ref' AS ref, pushed_ref->>'oldOid' AS before,
              pushed_ref->>'newOid' AS after,
              author_id AS author
         FROM events WHERE project_id = $1 AND pushed_ref IS NOT NULL ORDER BY id`,
      [this.project.id],
    );
  }

  async lastEvent(): Promise<RefEvent | undefined> {
    return (await this.events()).at(-1);
  }

  /** Whether git has moved an object of a push out of quarantine, after which it locks refs. */
  async hasLeftQuarantine(oid: string): Promise<boolean> {
    const { code } = await tryGit(['cat-file', '-e', oid], { cwd: this.folder });
    const names = await readdir(join(this.folder, 'objects'));
    return code === 0 && !names.some((name) => name.startsWith('tmp_objdir-'));
  }

  intents(): Promise<unknown[]> {
    return this.trellis.rows('SELECT 1 FROM push_intents WHERE project_id = $1', [this.project.id]);
  }

  /** The repository is whole, nothing is locked, nothing is left to be settled. */
  async expectSound(): Promise<void> {
    // No job tidies the repository meanwhile.
    const lock = await until(() => holdHousekeepingLock(this.folder).catch(() => null));
    try {
      expect(await this.unfinished()).toEqual([HOUSEKEEPING_LOCK]);
      expect(await this.git('fsck', '--strict', '--no-dangling')).toBe('');
    } finally {
      await lock.release();
    }
    expect(await this.intents()).toEqual([]);
  }

  /** Locks and files that are there while something is written. */
  private async unfinished(): Promise<string[]> {
    const names = (await readdir(this.folder, { recursive: true })).map((name) => basename(name));
    return names.filter((name) => /\.lock$|^tmp_|^incoming-/.test(name));
  }
}

/** Makes a new user a member of a project. */
export async function memberOf(
  trellis: Trellis,
  project: MadeProject,
  level: number,
): Promise<Person> {
  const person = await trellis.factories.user();
  await trellis.factories.addToProject(project, person, level);
  return person;
}
