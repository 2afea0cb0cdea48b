import { execFile, type SpawnOptions } from 'node:child_process';
import { chown, lchown, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from '../binaries.js';
import { EmbeddedPostgresError } from '../errors.js';

const run = promisify(execFile);

/** A command line together with the identity it has to be spawned under. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: Pick<SpawnOptions, 'uid' | 'gid' | 'cwd' | 'env'>;
}

/** How the server's programs are started: as which user, and through which command. */
export interface ServerLauncher {
  /** The user that must own what the server writes; absent: the user of this process. */
  readonly owner?: SystemUser;
  command(program: string, args: readonly string[]): Command;
}

// Nothing of the service's environment belongs into the server: PG* variables would change its
// behaviour, secrets could be read from it. C keeps its messages in English.
const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};
const BASE = { cwd: '/', env: ENVIRONMENT };

/**
 * PostgreSQL refuses to run as root: then its programs are started as an unprivileged user. Where
 * that user cannot walk to the programs or the data (a clone below /root), they keep root's right
 * to walk through closed folders, and no other.
 * @throws EmbeddedPostgresError naming the folder in the way when that is not possible
 */
export async function chooseLauncher(binaries: Binaries, cluster: string): Promise<ServerLauncher> {
  if (process.getuid?.() !== 0) {
    return { command: (file, args) => ({ file, args, options: BASE }) };
  }
  const owner = await serverUser(cluster);
  const closed =
    (await firstClosed(binaries.postgres, owner)) ?? (await firstClosed(dirname(cluster), owner));
  if (closed === undefined) {
    const options = { ...BASE, uid: owner.uid, gid: owner.gid };
    return { owner, command: (file, args) => ({ file, args, options }) };
  }
  return await throughClosedFolders(binaries, owner, closed);
}

// Walking through folders is the smaller right; containers often withhold it and grant the other.
const RIGHTS = ['dac_read_search', 'dac_override'] as const;

async function throughClosedFolders(
  binaries: Binaries,
  owner: SystemUser,
  closed: string,
): Promise<ServerLauncher> {
  for (const right of RIGHTS) {
    const launcher = withRight(owner, right);
    const { file, args, options } = launcher.command(binaries.initdb, ['--help']);
    const works = await run(file, [...args], options).then(
      () => true,
      () => false,
    );
    if (works) return launcher;
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and the user it runs as instead (uid ${owner.uid}) cannot enter ${closed}. ` +
      `Do one of these: "chmod o+x ${closed}", move the program and DATA_DIR to a folder that others may enter, ` +
      'install setpriv (util-linux), start the service as an ordinary user, or set DATABASE_URL.',
  );
}

function withRight(owner: SystemUser, right: (typeof RIGHTS)[number]): ServerLauncher {
  const only = `-all,+${right}`;
  const prefix = [
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    // Without it access(2), which the server's programs ask, takes no account of the right.
    '--securebits=+no_setuid_fixup',
    `--inh-caps=${only}`,
    `--ambient-caps=${only}`,
    `--bounding-set=${only}`,
  ];
  return {
    owner,
    command: (program, args) => ({
      file: 'setpriv',
      args: [...prefix, program, ...args],
      options: BASE,
    }),
  };
}

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', 'nobody'];

async function lookUp(name: string): Promise<SystemUser | undefined> {
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
async function serverUser(cluster: string): Promise<SystemUser> {
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

const mayEnter = async (path: string, user: SystemUser): Promise<boolean> => {
  const { mode, uid, gid } = await stat(path);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  return (mode & (gid === user.gid ? 0o010 : 0o001)) !== 0;
};

/** The topmost folder or file on the way to a path that a user may not enter or execute. */
export async function firstClosed(path: string, user: SystemUser): Promise<string | undefined> {
  const resolved = await realpath(path).catch(() => undefined);
  if (resolved === undefined) return await firstClosed(dirname(path), user);
  const parent = dirname(resolved);
  const above = parent === resolved ? undefined : await firstClosed(parent, user);
  return above ?? ((await mayEnter(resolved, user)) ? undefined : resolved);
}

/** Changes the owner of a folder and its content. The folder comes last, so that its owner shows that all is done. */
export async function giveAway(folder: string, user: SystemUser): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await (entry.isDirectory() ? giveAway(path, user) : lchown(path, user.uid, user.gid));
  }
  await chown(folder, user.uid, user.gid);
}
