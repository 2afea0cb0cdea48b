import { Global, Module, type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database, UnitOfWork } from '../../../../src/platform/database/index.js';
import {
  QueueModule,
  type QueueLogger,
  type QueueTuning,
} from '../../../../src/platform/queue/index.js';
import { Behaviour, handlers } from './jobs.js';

export const FAST: Partial<QueueTuning> = {
  relayPollMs: 100,
  sweepAfterMs: 60_000,
  sweepEveryMs: 200,
  lockMs: 1_000,
  stalledCheckMs: 300,
  abortGraceMs: 200,
};

export interface WorkerSettings {
  databaseUrl: string;
  redisUrl?: string | undefined;
  tuning?: Partial<QueueTuning>;
}

const silent = (): void => undefined;
const logger: QueueLogger = { debug: silent, info: silent, warn: silent, error: silent };

/** A worker process with the handlers of the tests. */
export function workerModule(settings: WorkerSettings, dataSource: DataSource): DynamicModule {
  const { databaseUrl, redisUrl, tuning } = settings;
  return {
    module: WorkerModule,
    imports: [
      databaseModule(dataSource),
      QueueModule.forWorker({
        useFactory: () => ({
          databaseUrl,
          redisUrl,
          logger,
          tuning: { ...FAST, ...tuning },
        }),
      }),
    ],
    providers: [Behaviour, ...handlers],
  };
}

function databaseModule(dataSource: DataSource): DynamicModule {
  const provider = { provide: DataSource, useValue: dataSource };
  return {
    module: DatabaseModule,
    providers: [provider, Database, UnitOfWork],
    exports: [Database, UnitOfWork],
  };
}

@Global()
@Module({})
class DatabaseModule {}

@Module({})
class WorkerModule {}
