import type { Command } from 'commander';
import { type CommandResult, concludeWith } from '../conclude.js';

/** Adds `trellis status`. */
export function addStatus(program: Command): void {
  concludeWith(
    program
      .command('status')
      .description('show database, queue, storages, versions and pending work'),
    runStatus,
  );
}

async function runStatus(): Promise<CommandResult> {
  const { readConfig } = await import('../open.js');
  const { isHealthy, readStatus } = await import('../status/status.js');
  const { describeStatus } = await import('../status/describe-status.js');
  const status = await readStatus(readConfig());
  return {
    text: describeStatus(status),
    json: status,
    hasFindings: !isHealthy(status),
  };
}
