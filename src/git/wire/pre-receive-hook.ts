import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { GitProtocolError, GitUnavailableError } from '../model/errors.js';
import { isOid } from '../model/names.js';
import type { RefUpdate } from '../model/types.js';
import { type RuntimeFolders, writeProgram } from '../process/environment.js';
import { ByteBlocks } from './byte-blocks.js';

/** The largest list of refs of a push; bytes. */
const MAX_COMMAND_BYTES = 64 * 1024 * 1024;
const DONE = Buffer.from('\ndone\n');

const WAITING = 'wait ';
const PREPARED = 'prepared\n';

/**
 * Asks the service over inherited file descriptors: writes the commands to 3, and reads the decision from 4, after any number
 * of lines for the pusher. Refuses the push when the service does not answer. The shell itself passes on up to four
 * commands, which saves a process.
 */
const PRE_RECEIVE = `#!/bin/sh
few() {
  for turn in 1 2 3 4; do
    if ! IFS= read -r line; then
      [ -z "$line" ] && return 0
      exit 1
    fi
    printf '%s\\n' "$line" || exit 1
  done
  return 1
}
{
  printf '%s\\n' "$GIT_QUARANTINE_PATH" "$GIT_OBJECT_DIRECTORY" "$GIT_ALTERNATE_OBJECT_DIRECTORIES" &&
  { few || cat; } &&
  printf 'done\\n'
} >&3 || exit 1
while :; do
  IFS= read -r verdict <&4 || exit 1
  case $verdict in
    '${WAITING}'*) printf '%s\\n' "\${verdict#${WAITING}}" >&2 ;;
    *) break ;;
  esac
done
[ "$verdict" = ok ] && exit 0
printf '%s\\n' "$verdict" >&2
while IFS= read -r line <&4; do
  printf '%s\\n' "$line" >&2
done
exit 1
`;

/**
 * Asks the service once more when the refs of a transaction are locked, which is the last moment at which it can be stopped
 * (docs/decisions/0060-leases.md).
 */
const REFERENCE_TRANSACTION = `#!/bin/sh
[ "$1" = prepared ] || exit 0
printf prepared'\\n' >&3 || exit 1
IFS= read -r verdict <&4 || exit 1
[ "$verdict" = ok ]
`;

/** Writes the hooks of pushes, and those of guarded pushes. */
export async function writeHooks({ hooks, guardedHooks }: HookFolders): Promise<void> {
  await mkdir(hooks, { recursive: true });
  await writeProgram(join(hooks, 'pre-receive'), PRE_RECEIVE);
  await mkdir(guardedHooks, { recursive: true });
  await writeProgram(join(guardedHooks, 'pre-receive'), PRE_RECEIVE);
  await writeProgram(join(guardedHooks, 'reference-transaction'), REFERENCE_TRANSACTION);
}

type HookFolders = Pick<RuntimeFolders, 'hooks' | 'guardedHooks'>;

/**
 * Checks that the hooks are executable. git ignores a hook that it cannot run, and would move refs without asking.
 * @throws GitUnavailableError
 */
export async function requireHooks(
  { hooks, guardedHooks }: HookFolders,
  isGuarded: boolean,
): Promise<void> {
  if (!isGuarded) return requireProgram(join(hooks, 'pre-receive'));
  await requireProgram(join(guardedHooks, 'pre-receive'));
  await requireProgram(join(guardedHooks, 'reference-transaction'));
}

async function requireProgram(hook: string): Promise<void> {
  try {
    await access(hook, constants.X_OK);
  } catch (error) {
    const advice = 'it was removed, or its file system is mounted noexec';
    throw new GitUnavailableError(`${hook} cannot be run: ${advice}`, null, { cause: error });
  }
}

/** The request of the hook. */
export interface HookReport {
  commands: RefUpdate[];
  /** Makes git processes see the pushed objects in quarantine. */
  environment: Record<string, string>;
}

/**
 * Waits for the request of the hook. Returns null when git ended without running it.
 * @throws GitProtocolError when it is too long
 */
export async function readHookReport(from: Readable): Promise<HookReport | null> {
  const received = new ByteBlocks();
  let end = Buffer.alloc(0);
  // A guarded push asks again.
  for await (const chunk of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    received.add(chunk);
    if (received.size > MAX_COMMAND_BYTES) {
      throw new GitProtocolError('The push names too many refs');
    }
    end = Buffer.concat([end, chunk.subarray(-DONE.length)]).subarray(-DONE.length);
    if (end.equals(DONE)) return parseHookReport(Buffer.concat(received.blocks()));
  }
  return null;
}

function parseHookReport(bytes: Buffer): HookReport {
  const [quarantine = '', objects = '', alternates = '', ...lines] = bytes.toString().split('\n');
  const environment = {
    GIT_QUARANTINE_PATH: quarantine,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates,
  };
  return {
    // The last two lines are `done` and the empty end.
    commands: lines.slice(0, -2).map(parseCommand),
    environment: Object.fromEntries(Object.entries(environment).filter(([, value]) => value)),
  };
}

function parseCommand(line: string): RefUpdate {
  const oldOid = line.slice(0, 40);
  const newOid = line.slice(41, 81);
  const ref = line.slice(82);
  if (!isOid(oldOid) || !isOid(newOid) || !ref) {
    throw new GitProtocolError('The push cannot be read.');
  }
  return { ref, oldOid, newOid };
}

/** Shows the pusher a line while the hook waits for its answer. */
export function printWhileWaiting(to: Writable, line: string): void {
  to.write(`${WAITING}${line.replace(/[\r\n]+/g, ' ')}\n`);
}

/** Accepts a push. */
export function acceptPush(to: Writable): void {
  to.end('ok\n');
}

/**
 * Accepts a push whose hook asks again before each transaction of refs.
 * @param confirm called then; the transaction is rolled back if it fails
 */
export function acceptGuarded(from: Readable, to: Writable, confirm: () => Promise<void>): void {
  let pending = Promise.resolve();
  let text = '';
  const answer = async (): Promise<void> => {
    const verdict = await confirm().then(
      () => 'ok',
      () => 'no',
    );
    if (to.writable) to.write(`${verdict}\n`);
  };
  from.on('error', () => undefined);
  from.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    while (text.startsWith(PREPARED)) {
      text = text.slice(PREPARED.length);
      pending = pending.then(answer);
    }
  });
  to.write('ok\n');
}

/** Refuses a push; the lines are shown to the user. */
export function refusePush(to: Writable, texts: readonly string[]): void {
  const lines = texts.flatMap((text) => text.split(/[\r\n]+/)).filter(Boolean);
  // A line "ok" of a refusal must not be taken for acceptance.
  const guarded = lines.map((line) => (line === 'ok' ? 'ok.' : line));
  to.end(`${(guarded.length > 0 ? guarded : ['refused']).join('\n')}\n`);
}
