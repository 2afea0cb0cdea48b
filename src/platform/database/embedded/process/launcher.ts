import { execFile, type SpawnOptions } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from '../binaries.js';
import { EmbeddedPostgresError } from '../errors.js';
import { firstClosed, serverUser, type User } from '../server-user.js';

const run = promisify(execFile);

/** A command line together with the identity it has to be spawned under. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: Pick<SpawnOptions, 'uid' | 'gid' | 'cwd' | 'env'>;
}

/** How the server's programs are started: as whom, and through what. */
export interface Launcher {
  /** The user that must own what the server writes; absent: the user of this process. */
  readonly owner?: User;
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
export async function chooseLauncher(binaries: Binaries, cluster: string): Promise<Launcher> {
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
  owner: User,
  closed: string,
): Promise<Launcher> {
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

function withRight(owner: User, right: (typeof RIGHTS)[number]): Launcher {
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
