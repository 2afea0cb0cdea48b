import { type DynamicModule, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { QueueFactory } from './backends/queue-factory.js';
import { HandlerRegistry } from './jobs/job-handler.js';
import { FailedJobsRepository } from './outbox/failed-jobs.repository.js';
import { Outbox } from './outbox/outbox.js';
import { FairJobsRepository } from './outbox/fair-jobs.repository.js';
import { OutboxRelay } from './outbox/outbox-relay.js';
import { OutboxRepository } from './outbox/outbox.repository.js';
import { TrimFailedJobs } from './outbox/trim-failed-jobs.js';
import { QueueLifecycle } from './queue-lifecycle.js';
import { QUEUE_OPTIONS, type QueueOptions } from './queue-options.js';
import { OutboxSweep } from './reconciliation/outbox-sweep.js';
import { QueueGuard } from './reconciliation/queue-guard.js';
import { JobRunner } from './running/job-runner.js';
import { LateRecords } from './running/late-records.js';
import { OutboxJobRunner } from './running/outbox-job-runner.js';
import { WorkerRuntime } from './running/worker-runtime.js';

/** Where the module's options come from; `Database` and `UnitOfWork` must be global or imported. */
interface QueueModuleOptions<Dependencies extends unknown[]> {
  imports?: NonNullable<ModuleMetadata['imports']>;
  inject?: {
    [Index in keyof Dependencies]: abstract new (...args: never[]) => Dependencies[Index];
  };
  useFactory: (...dependencies: Dependencies) => QueueOptions | Promise<QueueOptions>;
}

const WORKER_SIDE: Provider[] = [
  FairJobsRepository,
  HandlerRegistry,
  JobRunner,
  LateRecords,
  OutboxJobRunner,
  OutboxRelay,
  OutboxRepository,
  OutboxSweep,
  QueueGuard,
  QueueLifecycle,
  TrimFailedJobs,
  WorkerRuntime,
];

/** Jobs: `Outbox` to add them in every process, and the relay and the workers in worker processes. */
@Module({})
export class QueueModule {
  /** For processes that only add jobs. */
  static forApi<Dependencies extends unknown[]>(
    options: QueueModuleOptions<Dependencies>,
  ): DynamicModule {
    return dynamicModule(options, [], []);
  }

  /** For processes that add and run jobs; the modules with the handlers must be imported there. */
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
    providers: [options, FailedJobsRepository, Outbox, QueueFactory, ...workerSide],
    exports: [
      FailedJobsRepository,
      Outbox,
      QueueFactory,
      ...workerSide.filter((each) => each === QueueLifecycle),
    ],
  };
}
