import type { Command } from 'commander';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';

/** Adds `trellis migrate`. */
export function addMigrate(program: Command): void {
  concludeWith(
    program
      .command('migrate')
      .description('bring the database up to date, or say what that takes')
      .option('--plan', 'list the pending migrations and change nothing'),
    runMigrate,
  );
}

async function runMigrate(call: CommandCall<{ plan?: boolean }>): Promise<CommandResult> {
  const { terminal } = call;
  const { plan = false } = call.options;
  const { withDatabase } = await import('../open.js');
  const { pendingMigrations } = await import('../../bootstrap/pending-migrations.js');
  return withDatabase(
    async ({ databaseUrl }) => {
      const pending = await pendingMigrations(databaseUrl);
      if (plan) return { text: describe(pending), json: { pending } };
      const { atIntervals, migrate } = await import('../../bootstrap/migrate.js');
      const listener = atIntervals(({ migration, done, total }) => {
        if (done === undefined) terminal.note(`Applying ${migration}`);
        else terminal.note(`  ${done} of ${String(total)}`);
      });
      await migrate(databaseUrl, listener);
      return { text: 'The database is up to date.', json: { applied: pending } };
    },
    { creates: !plan },
  );
}

function describe(pending: readonly string[]): string {
  if (pending.length === 0) return 'The database is up to date.';
  return ['These migrations are pending:', ...pending.map((name) => `  ${name}`)].join('\n');
}
