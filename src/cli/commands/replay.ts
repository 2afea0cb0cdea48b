import type { Command } from 'commander';
import type { ReplayRange } from '../../modules/hooks/index.js';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';
import { UsageError } from '../errors.js';
import { toTime } from '../time-option.js';

export interface ReplayOptions {
  from: string;
  to?: string;
  hook?: string;
  delivered?: boolean;
}

/** Adds `trellis replay`. */
export function addReplay(program: Command): void {
  concludeWith(
    program
      .command('replay')
      .description('repeat deliveries to hooks that failed, or wait to be tried again')
      .requiredOption('--from <time>', 'events since this time, such as 2030-01-31T08:00:00Z')
      .option('--to <time>', 'events before this time (default: now)')
      .option('--hook <id>', 'deliveries to this hook only')
      .option('--delivered', 'those that succeeded, too'),
    runReplay,
  );
}

async function runReplay({ options }: CommandCall<ReplayOptions>): Promise<CommandResult> {
  const range = toReplayRange(options, new Date());
  const { withApplication } = await import('../open.js');
  const { DeliveryLogService } = await import('../../modules/hooks/index.js');
  const count = await withApplication((app) => app.get(DeliveryLogService).replay(range));
  return { text: `${count} deliveries are on their way once more.`, json: { deliveries: count } };
}

/** @throws UsageError for options that cannot be understood */
export function toReplayRange(options: ReplayOptions, now: Date): ReplayRange {
  const { from, to, hook, delivered = false } = options;
  const range = { from: toTime('--from', from), to: to === undefined ? now : toTime('--to', to) };
  if (range.from >= range.to) throw new UsageError('--from has to be before --to');
  if (hook !== undefined && !/^[1-9]\d{0,8}$/.test(hook)) {
    throw new UsageError('--hook takes an id');
  }
  return {
    ...range,
    states: delivered ? ['failed', 'pending', 'delivered'] : ['failed', 'pending'],
    hookId: hook === undefined ? undefined : Number(hook),
  };
}
