import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * What this process counts while it works, for `GET /metrics`. What the whole instance has, and what can be asked for at
 * that moment, is added by the controller.
 */
export const processRegistry = new Registry();

const registers = [processRegistry];

/** Seconds from the first to the last byte of a request; those of Git include the time of the client. */
export const requestDuration = new Histogram({
  name: 'trellis_http_request_duration_seconds',
  help: 'Requests by verb, route and status; the route is empty where none was found',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
  registers,
});

export const databaseStatements = new Counter({
  name: 'trellis_database_statements_total',
  help: 'Statements sent to PostgreSQL, those that begin and end transactions included',
  registers,
});

/** Seconds from sending a statement to its result. */
export const statementDuration = new Histogram({
  name: 'trellis_database_statement_duration_seconds',
  help: 'How long statements took, the time included that they waited for those before them in their transaction',
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10],
  registers,
});

export const replicaRequests = new Counter({
  name: 'trellis_replica_requests_total',
  help: 'Requests that only read and could be answered from a standby, by the server that was chosen',
  labelNames: ['server'] as const,
  registers,
});

export const repeatedReads = new Counter({
  name: 'trellis_replica_repeated_statements_total',
  help: 'Statements that a standby failed to answer and the primary was sent',
  registers,
});

export const exceededBudgets = new Counter({
  name: 'trellis_budget_exceeded_total',
  help: 'Requests and connections that were refused or cut off for what they took, by budget',
  labelNames: ['budget'] as const,
  registers,
});

export const gitProcessDuration = new Histogram({
  name: 'trellis_git_process_duration_seconds',
  help: 'How long processes of git ran, by command; those that answer many requests left out',
  labelNames: ['command'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300],
  registers,
});

export const startedGitProcesses = new Counter({
  name: 'trellis_git_processes_started_total',
  help: 'Processes of git that were started, by command',
  labelNames: ['command'] as const,
  registers,
});

export const gitProcessWait = new Histogram({
  name: 'trellis_git_process_wait_seconds',
  help: 'How long commands of git waited for others to end before they started, by kind of work',
  labelNames: ['kind'] as const,
  buckets: [0.001, 0.01, 0.1, 0.5, 1, 5, 30],
  registers,
});

export const gitFetches = new Gauge({
  name: 'trellis_git_fetches',
  help: 'Clones and fetches for which git puts packs together, and those that wait until others have theirs',
  labelNames: ['state'] as const,
  registers,
});

export const gitOperations = new Counter({
  name: 'trellis_git_operations_total',
  help: 'Clones, fetches, pushes and archives of git clients, by protocol',
  labelNames: ['operation', 'protocol'] as const,
  registers,
});

export const gitTransferredBytes = new Counter({
  name: 'trellis_git_transferred_bytes_total',
  help: 'Bytes exchanged with git clients, unpacked from compressed requests, by service and protocol',
  labelNames: ['service', 'protocol', 'direction'] as const,
  registers,
});

export const jobDuration = new Histogram({
  name: 'trellis_job_duration_seconds',
  help: 'Attempts of jobs by outcome: succeeded, failed, postponed by the job, given up, given back by a worker that stops',
  labelNames: ['queue', 'job', 'outcome'] as const,
  buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 300],
  registers,
});

export const deliveryDuration = new Histogram({
  name: 'trellis_hook_delivery_duration_seconds',
  help: 'Attempts of deliveries to hooks: delivered, or the cause of the failure',
  labelNames: ['outcome'] as const,
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers,
});

export const unsentSpans = new Counter({
  name: 'trellis_traces_unsent_spans_total',
  help: 'Spans that the collector of traces did not take',
  registers,
});

let collectsDefaults = false;

/** Adds processor time, memory and the delay of the event loop, which are measured from the first call on. */
export function collectProcessMetrics(): void {
  if (collectsDefaults) return;
  collectsDefaults = true;
  collectDefaultMetrics({ register: processRegistry });
}
