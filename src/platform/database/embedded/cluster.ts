import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createOnce, syncFolder, writeNewFile } from '../../config/index.js';
import type { Binaries } from './binaries.js';
import { codeOf, EmbeddedPostgresError } from './errors.js';
import { type Command, giveAway, type ServerLauncher } from './process/launcher.js';

const DRAFT = 'postgres.init-';
/** In `DATA_DIR`: the superuser's. */
export const PASSWORD_FILE = 'postgres.password';
/** The superuser only the supervisor uses. */
export const SUPERUSER = 'postgres';

/** `off` trades safety against a power cut for speed: for databases that are thrown away. */
export type Durability = 'on' | 'off';

/** Where a cluster lies, what runs it, and what it is for. */
export interface ClusterPlace {
  /** `DATA_DIR`, resolved and locked. */
  readonly dataDir: string;
  /** The cluster's folder in it. */
  readonly cluster: string;
  readonly binaries: Binaries;
  readonly launcher: ServerLauncher;
  readonly durability: Durability;
}

/**
 * Makes the database cluster unless it is there.
 * @returns the superuser's password
 * @throws EmbeddedPostgresError when it can neither be made nor used
 */
export async function ensureCluster(place: ClusterPlace): Promise<string> {
  await removeDrafts(dirname(place.cluster));
  const passwordFile = join(place.dataDir, PASSWORD_FILE);
  if (!(await holdsCluster(place))) {
    const password = await createOnce(passwordFile, newPassword);
    await makeCluster(place, password.trim());
    return password.trim();
  }
  const stored = await readFile(passwordFile, 'utf8').catch(() => '');
  return stored.trim() || (await resetPassword(place, passwordFile));
}

const newPassword = (): string => `${randomBytes(24).toString('hex')}\n`;

async function removeDrafts(folder: string): Promise<void> {
  const names = await readdir(folder);
  const drafts = names.filter((name) => name.startsWith(DRAFT));
  await Promise.all(drafts.map((name) => rm(join(folder, name), { recursive: true })));
}

async function holdsCluster(place: ClusterPlace): Promise<boolean> {
  const present = await stat(place.cluster).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (present === undefined) return false;
  await adopt(place, present.uid);
  const names: readonly string[] = await readdir(place.cluster);
  if (names.length === 0 || names.includes('PG_VERSION')) return names.length > 0;
  throw new EmbeddedPostgresError(
    `${place.cluster} is neither empty nor a PostgreSQL cluster: move it away, or set DATA_DIR to another folder.`,
  );
}

/** A cluster that root copied or restored belongs to root: the server needs its own. */
async function adopt({ cluster, launcher }: ClusterPlace, uid: number): Promise<void> {
  const mine = process.getuid?.();
  if (launcher.owner) {
    if (uid !== launcher.owner.uid) await giveAway(cluster, launcher.owner);
  } else if (uid !== mine) {
    throw new EmbeddedPostgresError(
      `${cluster} belongs to the user with uid ${uid}, but the service runs with uid ${mine}: start it as that user or as root, or set DATA_DIR to another folder.`,
    );
  }
}

async function makeCluster(place: ClusterPlace, password: string): Promise<void> {
  const { owner } = place.launcher;
  const draft = await mkdtemp(join(dirname(place.cluster), DRAFT));
  try {
    const passwordFile = join(draft, 'password');
    await writeNewFile(passwordFile, password);
    if (owner) {
      await chown(passwordFile, owner.uid, owner.gid);
      await chown(draft, owner.uid, owner.gid);
    }
    const options = [
      ...['--pgdata', join(draft, 'cluster'), '--username', SUPERUSER, '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C'],
      // Sorted by code point and the same on every machine, with Unicode's upper and lower case.
      ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...(place.durability === 'off' ? ['--no-sync'] : []),
    ];
    await runTool(place.launcher.command(place.binaries.initdb, options), '');
    await rename(join(draft, 'cluster'), place.cluster);
    await syncFolder(dirname(place.cluster));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Sets a new password where the stored one was lost: the files' owner may do without the old one. */
async function resetPassword(place: ClusterPlace, passwordFile: string): Promise<string> {
  const password = newPassword().trim();
  const options = ['--single', '-D', place.cluster, 'postgres'];
  await runTool(
    place.launcher.command(place.binaries.postgres, options),
    `ALTER ROLE ${SUPERUSER} PASSWORD '${password}';\n`,
  );
  await rm(passwordFile, { force: true });
  return (await createOnce(passwordFile, () => `${password}\n`)).trim();
}

async function runTool({ file, args, options }: Command, input: string): Promise<void> {
  const child = spawn(file, args, { ...options, detached: true, stdio: 'pipe' });
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)),
    );
  });
  // A program that ends early does not read its input; its exit code shows the reason.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const failure = await ended;
  if (failure === undefined) return;
  throw new EmbeddedPostgresError(`${file} failed (${failure}):\n${output}${messages}`);
}
