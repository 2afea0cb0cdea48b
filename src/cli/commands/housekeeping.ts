import type { Command } from 'commander';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';

/** Adds `trellis housekeeping`. */
export function addHousekeeping(program: Command): void {
  concludeWith(
    program
      .command('housekeeping [projects...]')
      .description('pack repositories now, as the job after a push does')
      .option('--all', 'all projects'),
    runHousekeeping,
  );
}

async function runHousekeeping(call: CommandCall<{ all?: boolean }>): Promise<CommandResult> {
  const { args, terminal, options } = call;
  const { requireSelection, selectProjects } = await import('../maintenance/selection.js');
  requireSelection(args, options.all ?? false);
  const { withApplication } = await import('../open.js');
  const { TidyRepositoryJob } = await import('../../modules/repository/index.js');
  const { reasonOf } = await import('../probes/time-limit.js');
  const failures: { project: string; reason: string }[] = [];
  const count = await withApplication(async (app) => {
    const job = app.get(TidyRepositoryJob);
    const { count: total, projects } = await selectProjects(app, args);
    await terminal.progress('Packing repositories', total, async (advance) => {
      for await (const { id, storage, fullPath } of projects) {
        try {
          await job.handle({ projectId: id, storage }, { signal: new AbortController().signal });
        } catch (error) {
          failures.push({ project: fullPath, reason: reasonOf(error) });
        }
        advance();
      }
    });
    return total;
  });
  const lines = failures.map(({ project, reason }) => `${project}: ${reason}`);
  return {
    text: [`Packed ${count - failures.length} of ${count} repositories.`, ...lines].join('\n'),
    json: { projects: count, failures },
    hasFindings: failures.length > 0,
  };
}
