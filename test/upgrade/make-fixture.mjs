// Writes what a release leaves to its successor: a database with data and pending jobs, and its repositories. It needs a
// clone with the commit of the release.
//
//   node test/upgrade/make-fixture.mjs
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import utils from 'pg/lib/utils.js';
import { run, until } from '../crash/processes.mjs';
import { Scratch } from '../crash/scratch.mjs';
import { Service } from '../crash/service.mjs';
import { Example } from './example.mjs';
import { buildRelease, commandOf } from './release-build.mjs';
import { newestRelease, ROOT } from './releases.mjs';

const { prepareValue } = utils;
const LIMIT_MS = 60_000;
const silent = { info() {}, warn() {}, error() {}, debug() {} };

/** Runs work, and answers the statements that it sent, with their parameters in place. */
async function recordStatements(work) {
  const statements = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (config, ...rest) {
    const given = typeof config === 'string' ? { text: config } : config;
    // Those of a transaction are sent together.
    for (const { text, values = rest[0] } of given.statements ?? [given]) {
      statements.push(withValues(text, Array.isArray(values) ? values : []));
    }
    return query.call(this, config, ...rest);
  };
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return statements;
}

const withValues = (text, values) =>
  text.replace(/\$(\d+)/g, (whole, number) =>
    number > values.length ? whole : pg.escapeLiteral(String(prepareValue(values[number - 1]))),
  );

/** Queries, locks and the ends of transactions have left nothing. */
const isKept = (statement) =>
  !/^\s*(SELECT|SHOW|START|BEGIN|COMMIT|ROLLBACK|LOCK)\b/i.test(statement);

/** The rows of all tables and the positions of all sequences, as statements. */
async function dumpData(client) {
  // In the order of their creation, so that rows come after those that they refer to.
  const { rows: tables } = await client.query(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname IN ('public', 'bullmq') AND c.relkind = 'r' ORDER BY c.oid`,
  );
  const names = tables.map(({ name }) => name);
  const statements = ['RESET search_path', `TRUNCATE ${names.join(', ')}`];
  // The rows have been counted already.
  statements.push(...names.map((name) => `ALTER TABLE ${name} DISABLE TRIGGER USER`));
  for (const name of names) {
    const { rows } = await client.query(`SELECT to_jsonb(t)::text AS row FROM ${name} t`);
    if (rows.length === 0) continue;
    const all = pg.escapeLiteral(`[${rows.map(({ row }) => row).join(',\n')}]`);
    statements.push(
      `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_recordset(NULL::${name}, ${all})`,
    );
  }
  const { rows: sequences } = await client.query(
    `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value AS last FROM pg_sequences
      WHERE schemaname IN ('public', 'bullmq') AND last_value IS NOT NULL ORDER BY 1`,
  );
  for (const { name, last } of sequences) statements.push(`SELECT setval('${name}', ${last})`);
  return [...statements, ...names.map((name) => `ALTER TABLE ${name} ENABLE TRIGGER USER`)];
}

const scratch = await Scratch.open('trellis-fixture-');

async function makeFixture({ version, commit }) {
  const main = await buildRelease(commit, path.join(scratch.folder, 'release'));
  const load = (...names) => import(pathToFileURL(path.join(path.dirname(main), ...names)).href);
  const { EmbeddedPostgres } = await load('platform', 'database', 'embedded', 'index.js');
  const { migrate } = await load('roles', 'migrate.js');
  const dataDir = path.join(scratch.folder, 'database');
  const server = await EmbeddedPostgres.start({ dataDir, logger: silent });
  scratch.defer(() => server.stop());
  const schema = (await recordStatements(() => migrate(server.url))).filter(isKept);

  const receiver = createServer((request, response) =>
    request.resume().on('end', () => response.end()),
  );
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  scratch.defer(() => receiver.close());
  const service = new Service({
    main,
    command: commandOf(version),
    folder: scratch.folder,
    database: { url: server.url, dataDir },
    environment: { SECRET_KEY: 'a key that is good enough for tests', WEBHOOK_ALLOW_LOCAL: 'true' },
  });
  scratch.defer(() => service.destroy());
  await service.start();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  scratch.defer(() => client.end());
  const example = new Example(service.url, scratch.folder);
  await example.create(`http://127.0.0.1:${receiver.address().port}/hook`);
  const isIdle = async () =>
    (await client.query('SELECT count(*)::int AS jobs FROM outbox')).rows[0].jobs === 0;
  if (!(await until(isIdle, LIMIT_MS))) throw new Error('The worker does not come to rest');
  await service.kill('worker');
  await example.leaveJobs();
  await service.kill('api');

  const folder = path.join(ROOT, 'test', 'upgrade', version);
  await mkdir(folder, { recursive: true });
  const statements = [...schema, ...(await dumpData(client))];
  const sql = statements.map((statement) => `${statement.trim()};\n`).join('\n');
  await writeFile(path.join(folder, 'database.sql.gz'), gzipSync(sql, { level: 9 }));
  const archive = path.join(folder, 'data.tar.gz');
  const kept = ['repositories', 'uploads'];
  const { code, stderr } = await run('tar', [
    ...['--sort=name', '--owner=0', '--group=0', '--numeric-owner'],
    ...['-C', service.dataDir, '-czf', archive, ...kept],
  ]);
  if (code !== 0) throw new Error(stderr);
  return [];
}

const release = await newestRelease();
await scratch.judge(() => makeFixture(release), {
  seed: 0,
  success: `test/upgrade/${release.version} is written.`,
});
