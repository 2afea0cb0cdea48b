import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { gitCommands, type GitCommand } from './command-table.js';
import { isConnected } from './connectivity.js';
import { GitProcessError, GitTimeoutError, IncompleteCopyError } from './errors.js';
import { type Incoming, withIncoming } from './incoming.js';
import { exitOf, lowerPriority, stderrTail, stopGroup } from './launcher.js';
import { assertOid } from './names.js';
import { type Admission, takeOver } from './pack.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid } from './types.js';

/** A fork may bring gigabytes. */
const LIMIT_MS = 10 * 60_000;

export interface ObjectsToTake {
  /** A commit of the other repository. */
  commit: Oid;
  /** Commits of this repository: what they lead to is not taken again. */
  known: readonly Oid[];
  /** Decides about the pack that they make. */
  admit?: Admission | undefined;
}

/**
 * Takes over a commit of another repository with all it leads to, as one pack that has nothing else
 * in it. Until the pack is whole and checked nobody sees any of it, and nothing refers to it
 * afterwards; a killed run can be repeated.
 * @throws RepositoryMissingError for either of the two
 * @throws IncompleteCopyError when the other repository does not have all of it
 * @throws whatever `admit` throws
 */
export async function takeObjects(
  from: RepositoryLocation,
  to: RepositoryLocation,
  wanted: ObjectsToTake,
): Promise<void> {
  await from.identity();
  await to.identity();
  if (await isWhole(to, wanted.commit)) return;
  await withIncoming(to, async (incoming) => {
    const { launcher, currentWorkKind } = to.runtime;
    const workload = { kind: currentWorkKind(), repository: to.path };
    const release = await launcher.scheduler.acquire(workload);
    try {
      await transfer(from, to, wanted, incoming);
    } finally {
      release();
    }
    const folder = join(incoming.folder, 'pack');
    await takeOver(folder, join(to.path, 'objects', 'pack'), wanted.admit);
  });
  if (!(await isWhole(to, wanted.commit))) throw new IncompleteCopyError(to.path);
}

/** Whether a commit is there with all it leads to. */
function isWhole(location: RepositoryLocation, commit: Oid): Promise<boolean> {
  const command = gitCommands.checkNewConnected(location.path);
  return isConnected(location, command, [assertOid(commit)], { timeoutMs: LIMIT_MS });
}

/** Pipes a pack from one git to another, so that it never lies in memory. */
async function transfer(
  from: RepositoryLocation,
  to: RepositoryLocation,
  { commit, known }: ObjectsToTake,
  incoming: Incoming,
): Promise<void> {
  // Packed in the repository that takes: it alone knows what it has. The other lends its objects.
  const sender = start(to, gitCommands.packObjects(to.path), {
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(from.path, 'objects'),
  });
  const receiver = start(to, gitCommands.indexPack(to.path), incoming.environment);
  const stop = (): void => void Promise.all([stopGroup(sender.child), stopGroup(receiver.child)]);
  const timer = setTimeout(stop, LIMIT_MS);
  const ends = [commit, ...known.map((oid) => `^${assertOid(oid)}`), ''];
  sender.child.stdin?.on('error', () => undefined).end(ends.join('\n'));
  receiver.child.stdout?.resume();
  const [input, output] = [sender.child.stdout, receiver.child.stdin];
  try {
    // A git that ends early breaks the pipe; its exit code tells why.
    if (input && output) await pipeline(input, output).catch(() => undefined);
    const [sent, received] = await Promise.all([sender.ended, receiver.ended]);
    if (sent === 0 && received === 0) return;
    if (sent === null && received === null) throw new GitTimeoutError('pack-objects', LIMIT_MS);
    const failed = sent === 0 ? receiver : sender;
    throw new GitProcessError(failed.name, sent === 0 ? received : sent, failed.stderr());
  } finally {
    clearTimeout(timer);
    stop();
  }
}

function start(
  { runtime }: RepositoryLocation,
  command: GitCommand,
  environment: Record<string, string>,
) {
  const child = runtime.launcher.spawn(command, ['pipe', 'pipe', 'pipe'], environment);
  lowerPriority(child, runtime.currentWorkKind());
  const ended = exitOf(child);
  ended.catch(() => undefined);
  return { child, ended, name: command.name, stderr: stderrTail(child.stderr) };
}
