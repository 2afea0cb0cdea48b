import type { Command } from 'commander';
import type { EffectiveSetting } from '../../platform/config/index.js';
import { type CommandResult, concludeWith } from '../conclude.js';

/** Adds `trellis config`. */
export function addConfig(program: Command): void {
  concludeWith(
    program
      .command('config')
      .description('list the settings in force, and where each comes from; secrets are masked'),
    runConfig,
  );
}

async function runConfig(): Promise<CommandResult> {
  const { describeSettings } = await import('../../platform/config/index.js');
  const settings = describeSettings();
  const width = Math.max(...settings.map(({ name }) => name.length));
  const lines = settings.map((setting) => `${setting.name.padEnd(width)}  ${describe(setting)}`);
  return { text: lines.join('\n'), json: settings };
}

const describe = ({ value, source, unset }: EffectiveSetting): string =>
  value === null ? `(unset: ${unset})` : `${value}  (${source})`;
