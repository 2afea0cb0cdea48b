// Jobs of the outbox, with all that a worker process of the service runs for them.
import 'reflect-metadata';
import { Global, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import {
  Database,
  PreparingClient,
  SnakeCaseNamingStrategy,
  UnitOfWork,
} from '../../dist/src/platform/database/index.js';
import {
  defineJob,
  HandlesJob,
  migrateQueue,
  Outbox,
  OutboxJob,
  QueueModule,
} from '../../dist/src/platform/queue/index.js';
import { Outbox1795219200002 } from '../../dist/src/platform/database/migrations/1795219200002-outbox.js';
import { serveJobs } from './job-process.mjs';
import { ATTEMPTS, BACKOFF_MS, CONCURRENCY, Countdown, DELAY_MS } from './kinds.mjs';

const POLL_MS = 10;
const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

await serveJobs(async ({ databaseUrl, redisUrl }) => {
  const countdown = new Countdown();
  // As in ormconfig.ts, which would bring the jobs of the whole service with it.
  const dataSource = await new DataSource({
    ...{ type: 'postgres', url: databaseUrl, poolSize: 10, extra: { Client: PreparingClient } },
    ...{ entities: [OutboxJob], namingStrategy: new SnakeCaseNamingStrategy() },
    migrations: [Outbox1795219200002],
  }).initialize();
  await dataSource.runMigrations();
  await migrateQueue(databaseUrl);
  const options = { attempts: ATTEMPTS, backoff: () => BACKOFF_MS, concurrency: CONCURRENCY };
  const kinds = ['succeed', 'fail-once', 'delayed'].map((name) =>
    defineJob('bench', name, options),
  );
  const handlers = kinds.map((kind) => handlerOf(kind, countdown));
  const app = await NestFactory.createApplicationContext(
    workerModule({ databaseUrl, redisUrl, logger }, dataSource, handlers),
    { logger: false },
  );
  const [work, outbox] = [app.get(UnitOfWork), app.get(Outbox)];
  return async (name, count) => {
    const done = countdown.announce(count);
    const kind = kinds.find((each) => each.name === name);
    const delayMs = name === 'delayed' ? DELAY_MS : 0;
    const jobs = Array.from({ length: count }, (_, key) => kind.with({ key }, { delayMs }));
    await work.run(() => outbox.addAll(jobs));
    await done;
    while ((await dataSource.query('SELECT 1 FROM outbox LIMIT 1')).length > 0) {
      await delay(POLL_MS);
    }
  };
});

function handlerOf(kind, countdown) {
  class Handler {
    async handle(_payload, { attempt }) {
      if (kind.name === 'fail-once' && attempt === 1) throw new Error('not yet');
      countdown.succeeded();
    }
  }
  Injectable()(Handler);
  HandlesJob(kind)(Handler);
  return Handler;
}

function workerModule(options, dataSource, handlers) {
  class DatabaseModule {}
  class WorkerModule {}
  Global()(DatabaseModule);
  Module({})(DatabaseModule);
  Module({})(WorkerModule);
  const database = {
    module: DatabaseModule,
    providers: [{ provide: DataSource, useValue: dataSource }, Database, UnitOfWork],
    exports: [Database, UnitOfWork],
  };
  return {
    module: WorkerModule,
    imports: [database, QueueModule.forWorker({ useFactory: () => options })],
    providers: handlers,
  };
}
