import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

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

export const refusedSlots = new Counter({
  name: 'trellis_budget_exceeded_total',
  help: 'Requests refused since the slots of a budget were taken, by budget',
  labelNames: ['budget'] as const,
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

let collectsDefaults = false;

/** Adds processor time, memory and the delay of the event loop, which are measured from the first call on. */
export function collectProcessMetrics(): void {
  if (collectsDefaults) return;
  collectsDefaults = true;
  collectDefaultMetrics({ register: processRegistry });
}
