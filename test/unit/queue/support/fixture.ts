import { Test, type TestingModule } from '@nestjs/testing';
import { Database, UnitOfWork } from '../../../../src/platform/database/index.js';
import {
  Outbox,
  QueueFactory,
  type JobRequest,
  type QueueTuning,
} from '../../../../src/platform/queue/index.js';
import type { AnyJobDefinition } from '../../../../src/platform/queue/jobs/job-definition.js';
import {
  type HandledJob,
  HandlerRegistry,
} from '../../../../src/platform/queue/jobs/job-handler.js';
import type { OutboxReference } from '../../../../src/platform/queue/outbox/outbox.repository.js';
import { OutboxJobRunner } from '../../../../src/platform/queue/running/outbox-job-runner.js';
import { createQueueDatabase, type QueueDatabase } from './database.js';
import { eventually } from './eventually.js';
import { Behaviour } from './jobs.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { workerModule } from './worker-module.js';

/** A fresh database, Redis where the backend is that, and the workers a test starts on them. */
export class QueueFixture {
  readonly #modules: TestingModule[] = [];

  private constructor(
    readonly database: QueueDatabase,
    readonly redis: RedisServer | undefined,
  ) {}

  static async create(backend: 'redis' | 'postgres'): Promise<QueueFixture> {
    const database = await createQueueDatabase();
    return new QueueFixture(database, backend === 'redis' ? await startRedis() : undefined);
  }

  get settings(): { databaseUrl: string; redisUrl: string | undefined } {
    return { databaseUrl: this.database.url, redisUrl: this.redis?.url };
  }

  /** Everything a worker consists of, but nothing running. */
  async idleWorker(tuning: Partial<QueueTuning> = {}): Promise<Worker> {
    const definition = workerModule({ ...this.settings, tuning }, this.database.dataSource);
    const module = await Test.createTestingModule({ imports: [definition] }).compile();
    this.#modules.push(module);
    return new Worker(module);
  }

  async worker(tuning: Partial<QueueTuning> = {}): Promise<Worker> {
    const worker = await this.idleWorker(tuning);
    await worker.module.init();
    return worker;
  }

  async outbox(): Promise<{ round: number; attempts: number; error: string | null }[]> {
    return this.rows(
      `SELECT round, attempts, error, enqueued_at IS NOT NULL AS enqueued,
         failed_at IS NOT NULL AS failed FROM outbox ORDER BY id`,
    );
  }

  /** The youngest job in the outbox, as a queue names it that has got it for the first time. */
  async youngest(): Promise<OutboxReference> {
    const [row] = await this.rows<{ id: string }>('SELECT max(id) AS id FROM outbox');
    return { id: row?.id ?? '', round: 0 };
  }

  async rows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const rows: unknown = await this.database.dataSource.query(sql, parameters);
    return rows as Row[];
  }

  async untilOutboxIsEmpty(): Promise<void> {
    await eventually(async () => {
      expect(await this.outbox()).toEqual([]);
    });
  }

  /** Ends the workers of the last test and forgets what it left in the database. */
  async reset(): Promise<void> {
    for (const module of this.#modules.splice(0)) await module.close();
    await this.database.dataSource.query('TRUNCATE outbox, effects');
    await this.redis?.command('FLUSHALL');
    await this.database.dataSource.query('TRUNCATE bullmq.job, bullmq.scheduler CASCADE');
  }

  async close(): Promise<void> {
    await this.database.drop();
    await this.redis?.stop();
  }
}

export class Worker {
  constructor(readonly module: TestingModule) {}

  get behaviour(): Behaviour {
    return this.get(Behaviour);
  }

  get queues(): QueueFactory {
    return this.get(QueueFactory);
  }

  get database(): Database {
    return this.get(Database);
  }

  get<T>(type: abstract new (...args: never[]) => T): T {
    return this.module.get<T>(type, { strict: false });
  }

  /** Adds jobs in a unit of work of their own. */
  add(...jobs: JobRequest[]): Promise<string[]> {
    return this.get(UnitOfWork).run(() => this.get(Outbox).addAll(jobs));
  }

  /** Runs a job as if a queue had delivered it. */
  deliver(reference: OutboxReference, { queue, name }: AnyJobDefinition): Promise<void> {
    const { signal } = new AbortController();
    return this.get(OutboxJobRunner).run(reference, this.#handled(queue, name), signal);
  }

  #handled(queue: string, name: string): HandledJob {
    const registry = this.get(HandlerRegistry);
    registry.load();
    const handled = registry.find(queue, name);
    if (handled === undefined) throw new Error(`Nothing handles ${name}`);
    return handled;
  }
}
