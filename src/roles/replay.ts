import { parseArgs } from 'node:util';
import type { ReplayRange } from '../modules/hooks/index.js';
import type { Ground } from './ground.js';

/** A command was called with arguments that cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const USAGE = [
  'npm run replay -- --from <time> [--to <time>] [--hook <id>] [--delivered]',
  'Repeats deliveries to hooks of events between the two times, in ISO 8601; --to is now unless given.',
  'Those that failed or wait to be tried again; with --delivered also those that succeeded.',
].join('\n');

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  hook: { type: 'string' },
  delivered: { type: 'boolean', default: false },
} as const;

// With an offset, so that no time zone is assumed.
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** What the arguments of the command ask for. @throws UsageError when they cannot be understood */
export function parseReplay(args: readonly string[], now: Date): ReplayRange {
  const { from, to, hook, delivered } = readOptions(args);
  if (from === undefined) throw refused('--from is missing');
  const range = { from: moment('--from', from), to: to === undefined ? now : moment('--to', to) };
  if (range.from >= range.to) throw refused('--from has to be before --to');
  if (hook !== undefined && !/^[1-9]\d{0,8}$/.test(hook)) throw refused('--hook takes an id');
  return {
    ...range,
    states: delivered ? ['failed', 'pending', 'delivered'] : ['failed', 'pending'],
    hookId: hook === undefined ? undefined : Number(hook),
  };
}

/** Queues the deliveries of the range once more; workers send them. @returns how many */
export async function replay(ground: Ground, range: ReplayRange): Promise<number> {
  const { createContext } = await import('./application.js');
  const { DeliveryLogService } = await import('../modules/hooks/index.js');
  const app = await createContext(ground, { runsJobs: false });
  try {
    return await app.get(DeliveryLogService).replay(range);
  } finally {
    await app.close();
    await ground.git.close();
  }
}

function readOptions(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true }).values;
  } catch (error) {
    throw refused((error as Error).message);
  }
}

function moment(option: string, text: string): Date {
  const date = new Date(text);
  if (!TIME.test(text) || Number.isNaN(date.getTime())) {
    throw refused(`${option} takes a time such as 2030-01-31T08:00:00Z`);
  }
  return date;
}

const refused = (problem: string): UsageError => new UsageError(`${problem}\n\n${USAGE}`);
