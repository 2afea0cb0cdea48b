import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { Problem } from './problem.mjs';
import { ROOT } from './paths.mjs';

/** npm, TypeScript, ESLint and Prettier have Node keep compiled code in the folder for temporary files, and leave it there. */
export const WITHOUT_CACHE = { NODE_DISABLE_COMPILE_CACHE: '1' };
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a Node program or another executable to its end. A signal this process gets is passed on
 * and then ends it too, with the exit code shells give for it.
 * @param options.onOutput is called with each part of what is not shown
 * @returns {Promise<{ code: number, output: string }>} `output` holds what was not shown
 */
export async function runToEnd(file, args, options = {}) {
  const { env = process.env, stdio = 'pipe', onOutput } = options;
  const child = spawn(file, args, {
    cwd: ROOT,
    env: { ...env, ...WITHOUT_CACHE },
    stdio: ['ignore', stdio, stdio],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part) => {
      output += part;
      onOutput?.(part);
    });
  }
  let received;
  const passOn = (signal) => {
    received = signal;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', (error) =>
        reject(new Problem(`${file} cannot be run: ${error.message}`)),
      );
      child.once('close', (exit, signal) => resolve(exit ?? 128 + constants.signals[signal]));
    });
    if (received) process.exit(128 + constants.signals[received]);
    return { code, output };
  } finally {
    for (const signal of SIGNALS) process.off(signal, passOn);
  }
}

export const runNode = (args, options) => runToEnd(process.execPath, args, options);

/** @throws Problem with all the program said when it fails; nothing is shown otherwise */
export async function runQuietly(file, args, options) {
  const { code, output } = await runToEnd(file, args, options);
  if (code === 0) return;
  throw new Problem(
    `${output.trimEnd()}\n\n${[file, ...args].join(' ')} failed (exit code ${code}).`,
  );
}
