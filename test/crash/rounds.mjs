// Kills the service in the middle of pushes and project creations, round after round, and checks
// after each start that nothing acknowledged is lost and nothing half-made is left.
//
//   node test/crash/rounds.mjs --rounds 50 [--seed TEXT] [--redis redis://HOST:PORT] [--apart]
//                              [--containers]
//
// --apart runs api and worker as processes of their own. --containers sometimes kills git together
// with the service, as when a container is killed; git outlives a service that is killed alone.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Campaign } from './campaign.mjs';
import { Service } from './service.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const built = (...names) => path.join(ROOT, 'dist', 'src', ...names);
const silent = { info() {}, warn() {}, error() {}, debug() {} };

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    redis: { type: 'string' },
    apart: { type: 'boolean', default: false },
    containers: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number from 1');

const folder = await mkdtemp(path.join(tmpdir(), 'trellis-crash-'));
const cleanUps = [];
const cleanUp = async () => {
  for (const step of cleanUps.splice(0).reverse()) await step();
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    void cleanUp()
      .then(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
      .finally(() => process.exit(1));
  });
}

/** For api and worker apart: a server whose life does not depend on either. */
async function ownDatabase() {
  const { EmbeddedPostgres } = await import(
    pathToFileURL(built('platform', 'database', 'embedded', 'index.js')).href
  );
  const { migrate } = await import(pathToFileURL(built('roles', 'migrate.js')).href);
  const server = await EmbeddedPostgres.start({
    dataDir: path.join(folder, 'database'),
    logger: silent,
  });
  cleanUps.push(() => server.stop());
  await migrate(server.url);
  return { url: server.url, dataDir: path.join(folder, 'database') };
}

async function runAll() {
  const database = options.apart ? await ownDatabase() : undefined;
  const service = new Service({
    main: built('main.js'),
    folder,
    redisUrl: options.redis,
    database,
  });
  cleanUps.push(() => service.destroy());
  const { seed, containers } = options;
  return new Campaign({ service, folder, seed, containers, log: console.log }).run(rounds);
}

console.log(`${rounds} rounds with --seed ${options.seed}`);
let problems;
try {
  problems = await runAll();
} catch (error) {
  problems = [error.stack];
}
await cleanUp();
if (problems.length === 0) {
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  console.log('Nothing acknowledged was lost and nothing half-made was left.');
} else {
  console.log(`\nWRONG, with --seed ${options.seed}; everything is kept in ${folder}`);
  for (const problem of problems) console.log(`- ${problem}`);
  process.exitCode = 1;
}
