// Starting and killing processes, and finding out which ones hang on a process.
import { spawn } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Where a script's processes run and listen, unless it has machines for them. */
export const HERE = { host: '127.0.0.1', spawn };

/** Runs a program to its end. */
export function run(file, args, { cwd, env, input = '' } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env });
    const output = { stdout: [], stderr: [] };
    child.stdout.on('data', (chunk) => output.stdout.push(chunk));
    child.stderr.on('data', (chunk) => output.stderr.push(chunk));
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({
        code,
        stdout: Buffer.concat(output.stdout).toString(),
        stderr: Buffer.concat(output.stderr).toString(),
      }),
    );
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** Kills at once; a process that has ended by then is fine. */
export function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

const statOf = async (pid) => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent) };
};

/** Every process that a process has started, directly or not. */
export async function descendants(pid) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map();
  for (const each of pids) parents.set(each, (await statOf(each)).parent);
  const found = new Set([pid]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const [child, parent] of parents) if (found.has(parent)) found.add(child);
  }
  found.delete(pid);
  return [...found];
}

export async function isRunning(pid) {
  const { state } = await statOf(pid);
  return state !== undefined && state !== '' && state !== 'Z' && state !== 'X';
}

/** Resolves when `condition` answers something true; false when it has not within the limit. */
export async function until(condition, limitMs, everyMs = 50) {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() > deadline) return false;
    await delay(everyMs);
  }
}
