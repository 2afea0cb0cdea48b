// Jobs that are added to BullMQ without an outbox: it carries their attempts, back-off and delays.
import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { randomUUID } from 'node:crypto';
import { migrateQueue } from '../../dist/src/platform/queue/index.js';
import { serveJobs } from './job-process.mjs';
import { ATTEMPTS, BACKOFF_MS, BATCH, CONCURRENCY, Countdown, DELAY_MS } from './kinds.mjs';

await serveJobs(async ({ databaseUrl, redisUrl }) => {
  const countdown = new Countdown();
  const backend = redisUrl === undefined ? createPostgresBackend : undefined;
  if (redisUrl === undefined) await migrateQueue(databaseUrl);
  const connection = redisUrl
    ? { url: redisUrl, maxRetriesPerRequest: null }
    : { connectionString: databaseUrl, max: 4 };
  const options = { connection, prefix: 'plain' };
  const queue = new Queue('bench', { ...options, streams: { events: { maxLen: 100 } } }, backend);
  const run = async ({ name, attemptsMade }) => {
    if (name === 'fail-once' && attemptsMade === 0) throw new Error('not yet');
    countdown.succeeded();
  };
  const worker = new Worker('bench', run, { ...options, concurrency: CONCURRENCY }, backend);
  await Promise.all([queue, worker].map((each) => each.waitUntilReady()));
  return async (name, count) => {
    const done = countdown.announce(count);
    const delay = name === 'delayed' ? DELAY_MS : 0;
    for (let left = count; left > 0; left -= BATCH) {
      const jobs = Array.from({ length: Math.min(left, BATCH) }, () => ({
        name,
        data: {},
        opts: {
          jobId: `plain-${randomUUID()}`,
          ...{ delay, attempts: ATTEMPTS, backoff: { type: 'fixed', delay: BACKOFF_MS } },
          ...{ removeOnComplete: true, removeOnFail: { age: 24 * 3_600, count: 200 } },
        },
      }));
      await queue.addBulk(jobs);
    }
    await done;
  };
});
