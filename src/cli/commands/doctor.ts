import type { Command } from 'commander';
import { type CommandResult, concludeWith } from '../conclude.js';
import type { Check } from '../doctor/check.js';

/** Adds `trellis doctor`. */
export function addDoctor(program: Command): void {
  concludeWith(
    program
      .command('doctor')
      .description('check what the service depends on, and say what to do about each problem'),
    runDoctor,
  );
}

async function runDoctor(): Promise<CommandResult> {
  const { readConfig } = await import('../open.js');
  const { examine } = await import('../doctor/doctor.js');
  const checks = await examine(readConfig());
  const hasProblem = checks.some(({ state }) => state === 'problem');
  return {
    text: format(checks),
    json: checks,
    hasFindings: hasProblem,
  };
}

function format(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, state, detail, advice }) => {
      const what = `${state.padEnd('problem'.length)}  ${name.padEnd(width)}  ${detail}`;
      return advice === undefined ? what : `${what}  → ${advice}`;
    })
    .join('\n');
}
