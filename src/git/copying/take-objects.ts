import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { GitProcessError, GitTimeoutError, IncompleteCopyError } from '../model/errors.js';
import { assertOid } from '../model/names.js';
import type { Oid } from '../model/types.js';
import { type Admission, type Incoming, installPack, withIncoming } from '../objects/incoming.js';
import { type GitCommand, gitCommands } from '../process/command-table.js';
import { exitOf, lowerPriority, stderrTail, stopGroup } from '../process/launcher.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { isConnected } from './copy.js';

/** A fork may bring gigabytes. */
const LIMIT_MS = 10 * 60_000;

interface ObjectsToTake {
  /** A commit of the other repository. */
  commit: Oid;
  /** Commits of this repository, which are not copied again with their ancestors. */
  known: readonly Oid[];
  /** Decides about the pack. */
  admit?: Admission | undefined;
}

/**
 * Copies a commit of another repository, with everything reachable from it, as one pack. The pack becomes visible
 * when it is complete and checked; no ref points at it. Can be repeated after a crash.
 * @throws RepositoryMissingError for either of the two
 * @throws IncompleteCopyError when the other repository does not have all of it
 * @throws the error of `admit`
 */
export async function takeObjects(
  from: RepositoryLocation,
  to: RepositoryLocation,
  wanted: ObjectsToTake,
): Promise<void> {
  await from.identity();
  await to.identity();
  if (await isComplete(to, wanted.commit)) return;
  await withIncoming(to, async (incoming) => {
    const release = await to.runtime.launcher.admit(to.workload());
    try {
      await transfer(from, to, wanted, incoming);
    } finally {
      release();
    }
    const folder = join(incoming.folder, 'pack');
    await installPack(folder, join(to.path, 'objects', 'pack'), wanted.admit);
  });
  if (!(await isComplete(to, wanted.commit))) throw new IncompleteCopyError(to.path);
}

/** Returns whether a repository has a commit and everything reachable from it. */
function isComplete(location: RepositoryLocation, commit: Oid): Promise<boolean> {
  const command = gitCommands.checkNewConnected(location.path);
  return isConnected(location, command, [assertOid(commit)], { timeoutMs: LIMIT_MS });
}

/** Pipes a pack from one git process to another, so that it is never held in memory. */
async function transfer(
  from: RepositoryLocation,
  to: RepositoryLocation,
  { commit, known }: ObjectsToTake,
  incoming: Incoming,
): Promise<void> {
  // Packed in the receiving repository, which knows its own objects, with the source as alternate.
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
    // A process that ends early breaks the pipe. Its exit code shows the reason.
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
