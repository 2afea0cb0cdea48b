import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { withoutLineBreak } from '../platform/config/index.js';
import { randomToken } from '../platform/secrets/index.js';
import { CommandError, UsageError } from './errors.js';
import type { Terminal } from './terminal.js';

/** Where a password comes from; without an option, from the terminal. Never an argument, which other accounts see. */
export interface PasswordOptions {
  passwordStdin?: boolean;
  randomPassword?: boolean;
}

export interface ChosenPassword {
  readonly password: string;
  /** It has to be shown: it is stored nowhere. */
  readonly isRandom: boolean;
}

/**
 * Asks for a password, twice and unseen, or takes it from standard input, or makes one.
 * @throws UsageError without a terminal and without an option
 */
export async function choosePassword(
  { passwordStdin = false, randomPassword = false }: PasswordOptions,
  terminal: Terminal,
): Promise<ChosenPassword> {
  if (passwordStdin && randomPassword) {
    throw new UsageError('--password-stdin and --random-password exclude each other');
  }
  if (randomPassword) return { password: randomToken(), isRandom: true };
  if (passwordStdin) {
    return { password: withoutLineBreak(await text(process.stdin)), isRandom: false };
  }
  if (!process.stdin.isTTY) {
    throw new UsageError('without a terminal, add --password-stdin or --random-password');
  }
  const password = await ask('Password: ', terminal);
  if ((await ask('Once more: ', terminal)) !== password) {
    throw new CommandError('The passwords differ.');
  }
  return { password, isRandom: false };
}

/** Asks for a line without showing what is typed. */
async function ask(question: string, terminal: Terminal): Promise<string> {
  const unseen = new Writable({ write: (_part, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: true });
  const interrupted = new AbortController();
  lines.once('SIGINT', () => interrupted.abort());
  terminal.note(question);
  try {
    return await lines.question('', { signal: interrupted.signal });
  } catch {
    throw new CommandError('Interrupted.');
  } finally {
    lines.close();
  }
}
