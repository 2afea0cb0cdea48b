import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Gauge, Registry } from 'prom-client';
import { ApiExcludeController } from '../platform/http/index.js';
import { Requires } from '../modules/access/index.js';
import { type DeliveryCounts, DeliveryLogService } from '../modules/hooks/index.js';
import { type JobCount, Outbox } from '../platform/queue/index.js';

/** Figures for Prometheus and what reads its format; outside the API (docs/operations.md). */
@Controller()
@ApiExcludeController()
export class MetricsController {
  constructor(
    private readonly outbox: Outbox,
    private readonly deliveries: DeliveryLogService,
  ) {}

  /** What every queue holds, and how deliveries to hooks fare: the whole instance's, not the process's. */
  @Get('metrics')
  @Requires('metrics:read')
  async read(@Res() response: Response): Promise<void> {
    const [jobs, deliveries] = await Promise.all([
      this.outbox.countJobs(),
      this.deliveries.count(),
    ]);
    const registry = new Registry();
    addJobs(registry, jobs);
    addDeliveries(registry, deliveries);
    response.type(registry.contentType).send(await registry.metrics());
  }
}

function addJobs(registry: Registry, jobs: readonly JobCount[]): void {
  const labelNames = ['queue', 'state'] as const;
  const count = new Gauge({
    name: 'trellis_jobs',
    help: 'Jobs by queue: delayed, waiting for the queue, queued or with a worker, given up',
    labelNames,
    registers: [registry],
  });
  const age = new Gauge({
    name: 'trellis_jobs_oldest_seconds',
    help: 'Seconds since the oldest of these jobs was due, or was given up',
    labelNames,
    registers: [registry],
  });
  for (const { queue, state, count: jobCount, oldestSeconds } of jobs) {
    count.set({ queue, state }, jobCount);
    if (state !== 'delayed') age.set({ queue, state }, oldestSeconds);
  }
}

function addDeliveries(registry: Registry, counts: DeliveryCounts): void {
  const registers = [registry];
  new Gauge({
    name: 'trellis_hook_deliveries_pending',
    help: 'Deliveries to hooks that have neither succeeded nor been given up',
    registers,
  }).set(counts.pending);
  new Gauge({
    name: 'trellis_hook_oldest_pending_seconds',
    help: 'Seconds since the oldest event happened that has yet to be delivered',
    registers,
  }).set(counts.oldestPendingSeconds);
  const failures = new Gauge({
    name: 'trellis_hook_failures',
    help: 'Deliveries of the log whose last attempt failed, by cause: pending are tried again',
    labelNames: ['cause', 'state'],
    registers,
  });
  for (const { cause, state, count } of counts.failures) failures.set({ cause, state }, count);
  const disabled = new Gauge({
    name: 'trellis_hooks_disabled',
    help: 'Hooks that were given up, by reason',
    labelNames: ['reason'],
    registers,
  });
  for (const { reason, count } of counts.disabledHooks) disabled.set({ reason }, count);
}
