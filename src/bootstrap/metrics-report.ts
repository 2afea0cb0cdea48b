import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { cacheLookups, Git } from '../git/index.js';
import { type DeliveryCounts, DeliveryLogService } from '../modules/hooks/index.js';
import { PushLock } from '../modules/storage/index.js';
import { Database, Replicas, type ReplicaState } from '../platform/database/index.js';
import { collectProcessMetrics, processRegistry } from '../platform/metrics/index.js';
import { type JobCount, Outbox } from '../platform/queue/index.js';

/** The figures of `GET /metrics`: of this process, and of what the whole instance has in its database. */
@Injectable()
export class MetricsReport {
  readonly contentType = processRegistry.contentType;

  constructor(
    private readonly outbox: Outbox,
    private readonly deliveries: DeliveryLogService,
    private readonly database: Database,
    private readonly replicas: Replicas,
    private readonly pushLock: PushLock,
    private readonly git: Git,
  ) {}

  /** Returns the figures in Prometheus' text format. */
  async render(): Promise<string> {
    collectProcessMetrics();
    const [jobs, deliveries, replicas] = await Promise.all([
      this.outbox.countJobs(),
      this.deliveries.count(),
      this.replicas.states(),
    ]);
    const registry = new Registry();
    addJobs(registry, jobs);
    addDeliveries(registry, deliveries);
    this.addConnections(registry);
    addReplicas(registry, replicas);
    this.addPushes(registry);
    this.addGitProcesses(registry);
    addCaches(registry);
    return Registry.merge([processRegistry, registry]).metrics();
  }

  private addConnections(registry: Registry): void {
    const connections = new Gauge({
      name: 'trellis_database_connections',
      help: 'Connections of the shared pool by state, and what waits for one',
      labelNames: ['state'],
      registers: [registry],
    });
    const { used, idle, waiting } = this.database.connectionCounts();
    connections.set({ state: 'used' }, used);
    connections.set({ state: 'idle' }, idle);
    connections.set({ state: 'waiting' }, waiting);
  }

  private addPushes(registry: Registry): void {
    const pushes = new Gauge({
      name: 'trellis_pushes',
      help: 'Pushes, merges and other work under push locks by state: running, or waiting for its turn',
      labelNames: ['state'],
      registers: [registry],
    });
    const { running, waiting } = this.pushLock.counts;
    pushes.set({ state: 'running' }, running);
    pushes.set({ state: 'waiting' }, waiting);
  }

  private addGitProcesses(registry: Registry): void {
    const processes = new Gauge({
      name: 'trellis_git_processes',
      help: 'Commands of git by kind of work: running, or waiting for others to end',
      labelNames: ['kind', 'state'],
      registers: [registry],
    });
    for (const { kind, running, waiting } of this.git.processCounts()) {
      processes.set({ kind, state: 'running' }, running);
      processes.set({ kind, state: 'waiting' }, waiting);
    }
    new Gauge({
      name: 'trellis_git_processes_running',
      help: 'Processes of git that run, those for clients and those that answer many requests included',
      registers: [registry],
    }).set(this.git.runningProcesses);
  }
}

function addReplicas(registry: Registry, replicas: readonly ReplicaState[]): void {
  const [labelNames, registers] = [['replica'] as const, [registry]];
  const up = new Gauge({
    name: 'trellis_replica_up',
    help: 'Whether a standby can answer reads, if it is near enough: 0 or 1',
    labelNames,
    registers,
  });
  const lag = new Gauge({
    name: 'trellis_replica_lag_bytes',
    help: 'What a standby has not replayed yet of the log of changes',
    labelNames,
    registers,
  });
  for (const { name: replica, lagBytes } of replicas) {
    up.set({ replica }, lagBytes === null ? 0 : 1);
    if (lagBytes !== null) lag.set({ replica }, lagBytes);
  }
}

function addCaches(registry: Registry): void {
  const lookups = new Counter({
    name: 'trellis_cache_lookups_total',
    help: 'How often caches had what was asked for, and how often not',
    labelNames: ['cache', 'result'],
    registers: [registry],
  });
  for (const [cache, { hits, misses }] of cacheLookups) {
    lookups.inc({ cache, result: 'hit' }, hits);
    lookups.inc({ cache, result: 'miss' }, misses);
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
  const waiting = jobs.filter(({ state }) => state === 'waiting');
  new Gauge({
    name: 'trellis_outbox_lag_seconds',
    help: 'Seconds since the oldest job was due that has yet to be handed to its queue; 0 if there is none',
    registers: [registry],
  }).set(Math.max(0, ...waiting.map(({ oldestSeconds }) => oldestSeconds)));
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
