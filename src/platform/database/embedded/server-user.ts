import { execFile } from 'node:child_process';
import { chown, lchown, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors.js';

const run = promisify(execFile);

export interface User {
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', 'nobody'];

async function lookUp(name: string): Promise<User | undefined> {
  const id = async (option: string): Promise<number> =>
    Number((await run('id', [option, name])).stdout);
  return await Promise.all([id('-u'), id('-g')]).then(
    ([uid, gid]) => (uid > 0 ? { uid, gid } : undefined),
    () => undefined,
  );
}

/**
 * The user the server runs as when the service is root: who owns the cluster already, else
 * `postgres`, else `nobody`.
 * @throws EmbeddedPostgresError when there is none of them
 */
export async function serverUser(cluster: string): Promise<User> {
  const present = await stat(cluster).catch(() => undefined);
  if (present && present.uid !== 0) return { uid: present.uid, gid: present.gid };
  for (const name of CANDIDATES) {
    const user = await lookUp(name);
    if (user) return user;
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and there is no user ${CANDIDATES.join(' or ')} to run it as. ` +
      'Create one ("useradd --system postgres"), start the service as an ordinary user, or set DATABASE_URL.',
  );
}

const mayEnter = async (path: string, user: User): Promise<boolean> => {
  const { mode, uid, gid } = await stat(path);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  return (mode & (gid === user.gid ? 0o010 : 0o001)) !== 0;
};

/** The topmost folder or file on the way to a path that a user may not enter or execute. */
export async function firstClosed(path: string, user: User): Promise<string | undefined> {
  const resolved = await realpath(path).catch(() => undefined);
  if (resolved === undefined) return await firstClosed(dirname(path), user);
  const parent = dirname(resolved);
  const above = parent === resolved ? undefined : await firstClosed(parent, user);
  return above ?? ((await mayEnter(resolved, user)) ? undefined : resolved);
}

/** Gives a folder with all in it to a user; the folder itself last, so that it tells whether all is done. */
export async function giveAway(folder: string, user: User): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await (entry.isDirectory() ? giveAway(path, user) : lchown(path, user.uid, user.gid));
  }
  await chown(folder, user.uid, user.gid);
}
