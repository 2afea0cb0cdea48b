// The process of the plain ways: it does what its parent asks for, one thing at a time.
import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { FACTS, IDLE_QUEUE } from './queued-rows.mjs';

const KEY = 'bench';
/** As many as one receiver gets of the service. */
const CONCURRENCY = 16;
/** As many as the relay of the service takes at once. */
const BATCH = 500;
const REMOVED = { removeOnComplete: true };

/** @typedef {{ url: string, databaseUrl: string, redisUrl?: string }} Settings */

process.once('disconnect', () => process.exit());
const [settings] = await once(process, 'message');

const agent = new Agent({ keepAlive: false });
const backend = settings.redisUrl === undefined ? createPostgresBackend : undefined;
const connection = settings.redisUrl
  ? { url: settings.redisUrl, maxRetriesPerRequest: null }
  : { connectionString: settings.databaseUrl, max: 4 };
const options = { connection, prefix: 'trellis' };

const queue = new Queue('plain', options, backend);
const idle = new Queue(IDLE_QUEUE, options, backend);
const worker = new Worker(
  'plain',
  (job) => post(job.data.body),
  { ...options, concurrency: CONCURRENCY },
  backend,
);

const COMMANDS = {
  async post({ count }) {
    let left = count;
    const line = async () => {
      while (left-- > 0) await post(FACTS);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, line));
  },
  async deliver({ count }) {
    let left = count;
    const all = new Promise((resolve) => {
      worker.removeAllListeners('completed');
      worker.on('completed', () => --left === 0 && resolve());
    });
    await addAll(queue, count, { body: FACTS });
    await all;
  },
  async enqueue({ count }) {
    const begin = performance.now();
    await addAll(idle, count, {});
    return performance.now() - begin;
  },
  forget: () => idle.obliterate({ force: true }),
};

async function addAll(target, count, data) {
  for (let left = count; left > 0; left -= BATCH) {
    const length = Math.min(left, BATCH);
    const job = () => ({ name: 'job', data, opts: { jobId: `plain-${randomUUID()}`, ...REMOVED } });
    await target.addBulk(Array.from({ length }, job));
  }
}

function post(body) {
  const id = `msg_${randomUUID()}`;
  const seconds = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', KEY).update(`${id}.${seconds}.${body}`).digest('base64');
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
  return new Promise((resolve, reject) => {
    const call = request(settings.url, { method: 'POST', headers, agent }, (response) => {
      response.resume().once('end', resolve);
    });
    call.once('error', reject).end(body);
  });
}

await Promise.all([queue, idle, worker].map((each) => each.waitUntilReady()));
process.on('message', async (message) => {
  process.send((await COMMANDS[message.command](message)) ?? null);
});
process.send('ready');
