import { Module, type DynamicModule, type ModuleMetadata, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Confirmations } from './confirmations.js';
import { HandlerRegistry } from './handler-registry.js';
import { InFlight } from './in-flight.js';
import { JobCounts } from './job-counts.js';
import { JobRunner } from './job-runner.js';
import { LateRecords } from './late-records.js';
import { OutboxJobRunner } from './outbox-job-runner.js';
import { OutboxRelay } from './outbox-relay.js';
import { OutboxRepository } from './outbox.repository.js';
import { OutboxSweep } from './outbox-sweep.js';
import { Outbox } from './outbox.js';
import { QueueFactory } from './queue-factory.js';
import { QueueGuard } from './queue-guard.js';
import { QueueLifecycle } from './queue-lifecycle.js';
import { QUEUE_OPTIONS, type QueueOptions } from './queue-options.js';
import { RecurringSchedule } from './recurring-schedule.js';
import { TrimFailedJobs } from './trim-failed-jobs.js';
import { WorkerRuntime } from './worker-runtime.js';

/** Where the module's options come from; `Database` and `UnitOfWork` must be global or imported. */
export interface QueueModuleOptions<Dependencies extends unknown[]> {
  imports?: NonNullable<ModuleMetadata['imports']>;
  inject?: {
    [Index in keyof Dependencies]: abstract new (...args: never[]) => Dependencies[Index];
  };
  useFactory: (...dependencies: Dependencies) => QueueOptions | Promise<QueueOptions>;
}

const WORKER_SIDE: Provider[] = [
  Confirmations,
  HandlerRegistry,
  InFlight,
  JobRunner,
  LateRecords,
  OutboxJobRunner,
  OutboxRelay,
  OutboxRepository,
  OutboxSweep,
  QueueGuard,
  QueueLifecycle,
  RecurringSchedule,
  TrimFailedJobs,
  WorkerRuntime,
];

/** Jobs: `Outbox` to cause them everywhere, and in worker processes all that carries them out. */
@Module({})
export class QueueModule {
  /** For processes that only cause jobs. */
  static forApi<Dependencies extends unknown[]>(
    options: QueueModuleOptions<Dependencies>,
  ): DynamicModule {
    return dynamicModule(options, [], []);
  }

  /** For processes that cause and run jobs; the modules with the handlers must be imported there. */
  static forWorker<Dependencies extends unknown[]>(
    options: QueueModuleOptions<Dependencies>,
  ): DynamicModule {
    return dynamicModule(options, [DiscoveryModule], WORKER_SIDE);
  }
}

function dynamicModule<Dependencies extends unknown[]>(
  { imports = [], inject, useFactory }: QueueModuleOptions<Dependencies>,
  furtherImports: NonNullable<ModuleMetadata['imports']>,
  workerSide: Provider[],
): DynamicModule {
  const options: Provider = { provide: QUEUE_OPTIONS, useFactory, inject: [...(inject ?? [])] };
  return {
    module: QueueModule,
    global: true,
    imports: [...imports, ...furtherImports],
    providers: [options, JobCounts, Outbox, QueueFactory, ...workerSide],
    exports: [
      JobCounts,
      Outbox,
      QueueFactory,
      ...workerSide.filter((each) => each === QueueLifecycle),
    ],
  };
}
