// Removes temporary files, and ends the processes that use them, when the process that made them ends early.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findProcessesNaming, titleOf } from './processes.mjs';

const PATIENCE_MS = 10_000;
const POLL_MS = 100;
const SCRIPT = fileURLToPath(import.meta.url);
/** Waits for a line, and runs its arguments where the pipe ends without one, as it does when this process is killed. */
const WATCH = 'read -r line || exec "$@"';

/**
 * Guards a folder of temporary files until it is released: if this process ends before, even by SIGKILL, the folder is
 * removed, and the processes that name it are ended. `abandon` does so at once.
 */
export function guard(folder) {
  const abandon = () => remove(folder);
  process.once('exit', abandon);
  // In a session of its own: a signal to the whole group does not reach it.
  const watcher = spawn('sh', ['-c', WATCH, 'sh', process.execPath, SCRIPT, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  // After `abandon` it reads nothing any more.
  watcher.stdin.on('error', () => undefined);
  watcher.stdin.unref();
  const release = () => {
    process.off('exit', abandon);
    watcher.stdin.end('\n');
  };
  return { abandon, release };
}

/** Waits without the event loop, which has ended when a process exits. */
function remove(folder) {
  const deadline = Date.now() + PATIENCE_MS;
  const clock = new Int32Array(new SharedArrayBuffer(4));
  let pids = findProcessesNaming(folder);
  while (pids.length > 0 && Date.now() < deadline) {
    for (const pid of pids) end(pid);
    Atomics.wait(clock, 0, 0, POLL_MS);
    pids = findProcessesNaming(folder);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Ends a process. A server of PostgreSQL removes its shared memory first. */
export function end(pid) {
  const title = titleOf(pid);
  // Those of initdb handle no signals, and end with their input as soon as initdb does.
  if (/\bpostgres"? --(?:boot|check|single)\b/.test(title)) return;
  try {
    process.kill(pid, /\bpostgres\b/.test(title) ? 'SIGQUIT' : 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

if (process.argv[1] === SCRIPT) remove(process.argv[2]);
