import type { Command } from 'commander';
import type { AuditAction, AuditEvent, AuditFilters } from '../../modules/audit/index.js';
import { UsageError } from '../errors.js';
import { Terminal } from '../terminal.js';
import { toTime } from '../time-option.js';

interface AuditOptions {
  since?: string;
  until?: string;
  action?: string;
}

/** Adds `trellis audit`. */
export function addAudit(program: Command): void {
  const command = program
    .command('audit')
    .description('print the audit log as JSON lines, the oldest entry first')
    .option('--since <time>', 'entries since this time, such as 2030-01-31T08:00:00Z')
    .option('--until <time>', 'entries before this time')
    .option('--action <name>', 'entries of one action, such as user.created')
    .option('--json', 'changes nothing: the entries are JSON in any case');
  command.action(() => printAuditLog(command.opts<AuditOptions>()));
}

async function printAuditLog(options: AuditOptions): Promise<void> {
  const filters = await toFilters(options);
  const { readAuditEvents } = await import('../../modules/audit/model/audit-events.query.js');
  const { withStatements } = await import('../open.js');
  await withStatements((statements) =>
    new Terminal().printLines(toLines(readAuditEvents(statements, filters))),
  );
}

/** @throws UsageError for options that cannot be understood */
async function toFilters({ since, until, action }: AuditOptions): Promise<AuditFilters> {
  const { AUDIT_ACTIONS } = await import('../../modules/audit/model/audit-actions.js');
  const known: readonly string[] = AUDIT_ACTIONS;
  if (action !== undefined && !known.includes(action)) {
    throw new UsageError(`--action takes one of ${known.join(', ')}`);
  }
  return {
    action: action as AuditAction | undefined,
    createdAfter: since === undefined ? undefined : toTime('--since', since),
    createdBefore: until === undefined ? undefined : toTime('--until', until),
  };
}

async function* toLines(events: AsyncIterable<AuditEvent>): AsyncGenerator<string> {
  const { presentAuditEvent } = await import('../../modules/audit/v3/audit-event.presenter.js');
  for await (const event of events) yield JSON.stringify(presentAuditEvent(event));
}
