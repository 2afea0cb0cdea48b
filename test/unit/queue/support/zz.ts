import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { createDatabase } from './database.js';
import { Behaviour, plainJob } from './jobs.js';
import { startRedis } from './redis-server.js';
import { workerModule } from './worker-module.js';
import { UnitOfWork } from '../../../../src/platform/database/index.js';
import { Outbox } from '../../../../src/platform/queue/index.js';
const live = new Map<any, string>();
const st = globalThis.setTimeout, ct = globalThis.clearTimeout;
(globalThis as any).setTimeout = (f: any, ms: any, ...a: any[]) => { const t: any = st((...x: any[]) => { live.delete(t); f(...x); }, ms, ...a); live.set(t, ms + ' ' + new Error().stack!.split('\n').slice(2, 7).join('|')); return t; };
(globalThis as any).clearTimeout = (t: any) => { live.delete(t); ct(t); };
export async function main() {
  const db = await createDatabase(); const redis = await startRedis();
  const app = await NestFactory.createApplicationContext(workerModule({ databaseUrl: db.url, redisUrl: redis.url, tuning: { drainMs: 100, abortGraceMs: 10_000 } }, db.dataSource), { logger: false });
  const get = (t: any): any => app.get(t, { strict: false });
  let begun = () => {}; const b = new Promise<void>((r) => { begun = r; });
  let rel = () => {}; const r = new Promise<void>((x) => { rel = x; });
  get(Behaviour).on('plain', () => { begun(); return r; });
  await get(UnitOfWork).run(() => get(Outbox).add(plainJob.with({ key: 'a' })));
  await b; await app.close(); rel();
  await new Promise((x) => st(x, 3000));
  await db.drop(); await redis.stop();
  for (const s of [500, 8000]) st(() => { console.log('--', s, process.getActiveResourcesInfo().join(' ')); for (const v of live.values()) console.log(v); }, s);
  st(() => process.exit(), 9000);
}
