import type { Command } from 'commander';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';
import type { Finding } from '../maintenance/fsck.js';

interface FsckOptions {
  all?: boolean;
  repair?: boolean;
}

/** Adds `trellis fsck`. */
export function addFsck(program: Command): void {
  concludeWith(
    program
      .command('fsck [projects...]')
      .description('compare repositories and uploads with the database')
      .option('--all', 'all projects, orphaned folders and counters')
      .option('--repair', 'repair what can be repaired without a loss'),
    runFsck,
  );
}

async function runFsck(call: CommandCall<FsckOptions>): Promise<CommandResult> {
  const { args, terminal } = call;
  const { all = false, repair = false } = call.options;
  const { requireSelection, selectProjects } = await import('../maintenance/selection.js');
  requireSelection(args, all);
  const { withApplication } = await import('../open.js');
  const { Fsck } = await import('../maintenance/fsck.js');
  const findings = await withApplication(async (app) => {
    const fsck = new Fsck(app, repair);
    const selection = await selectProjects(app, args);
    const ofProjects = await terminal.progress('Checking projects', selection.count, (advance) =>
      fsck.checkProjects(selection, advance),
    );
    if (!all) return ofProjects;
    const ofInstance = await terminal.progress(
      'Checking folders and counters',
      Fsck.INSTANCE_CHECKS,
      (advance) => fsck.checkInstance(advance),
    );
    return [...ofProjects, ...ofInstance];
  });
  const isFound = findings.some(({ state }) => state === 'found');
  return {
    text: format(findings),
    json: findings,
    hasFindings: isFound,
  };
}

function format(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing is wrong.';
  return findings
    .map(({ project, name, detail, state }) => {
      const subject = project === null ? '' : `${project}: `;
      return `${state.padEnd('repaired'.length)}  ${name}  ${subject}${detail}`;
    })
    .join('\n');
}
