// Installs the clients of clients.mjs, and drives each, unmodified, through its main job against the built service.
//
//   node test/clients/campaign.mjs [--only NAME,...] [--list] [--seed NUMBER]
//
// --list prints the table of docs/clients.md. Needs the npm registry. Clients of Debian need root and apt; where they cannot be installed they are reported as not tried.
// Wrong are operations that fail, unless clients.mjs says why they do; those that pass although it says so; a driver that ends
// early; and errors that the service logs. There is no chance in it: the seed is accepted since all campaigns take one.
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { WITHOUT_CACHE } from '../../scripts/child.mjs';
import { table } from '../../scripts/table.mjs';
import { Scratch } from '../crash/scratch.mjs';
import { defectsIn } from '../hostile/report.mjs';
import { CLIENTS, rowOf } from './clients.mjs';
import { drive } from './drive.mjs';
import { install } from './install.mjs';
import { Site } from './site.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    seed: { type: 'string', default: '0' },
  },
});

function chosen() {
  const { only } = options;
  if (only === undefined) return CLIENTS;
  return only.split(',').flatMap((name) => {
    const clients = CLIENTS.filter((each) => each.name === name);
    if (clients.length === 0) throw new Error(`No client is called ${name}; see --list`);
    return clients;
  });
}

/** By operation, why it is known to fail. */
const reasonsOf = ({ fails = [] }) =>
  new Map(
    fails.flatMap(({ because, operations }) => operations.map((operation) => [operation, because])),
  );

/** What differs from the expectations of clients.mjs. */
function problemsOf(client, { code, output, results }) {
  const { operations } = client;
  const reasons = reasonsOf(client);
  const problems = [];
  if (code !== 0) problems.push(`its driver ended with ${code}: ${output.slice(-2_000)}`);
  for (const { operation, problem } of results) {
    if (problem !== null && !reasons.has(operation)) problems.push(`${operation}: ${problem}`);
    if (problem === null && reasons.has(operation)) problems.push(`${operation}: passes meanwhile`);
  }
  const tried = new Set(results.map(({ operation }) => operation));
  for (const operation of reasons.keys()) {
    if (!tried.has(operation)) problems.push(`${operation}: was not tried`);
  }
  if (results.length !== operations) {
    problems.push(`${results.length} operations were tried, not ${operations}`);
  }
  return problems;
}

/** @returns the client's row of the table, and what is wrong */
async function tryClient(scratch, site, client) {
  const { name, version } = client;
  const folder = await mkdtemp(path.join(scratch.folder, 'client-'));
  const { lack, remove } = await install(scratch, client, folder);
  if (lack !== undefined) {
    console.log(`- ${name} ${version} is NOT TRIED: ${lack}`);
    return { row: [name, version, `not tried: ${lack}`], problems: [] };
  }
  const outcome = await drive(client, { folder, site, account: await site.createAccount() });
  await remove();
  const { results } = outcome;
  if (process.env.DBG) console.log(outcome.output);
  const passed = results.filter(({ problem }) => problem === null).length;
  console.log(`- ${name} ${version}: ${passed} of ${results.length} operations`);
  const reasons = reasonsOf(client);
  for (const { operation, problem } of results) {
    if (problem === null) continue;
    const known = reasons.has(operation) ? `known, ${reasons.get(operation)}: ` : '';
    console.log(`    ${operation}: ${known}${problem}`);
  }
  const problems = problemsOf(client, outcome).map((problem) => `${name}: ${problem}`);
  return { row: [name, version, `${passed} of ${results.length}`], problems };
}

async function tryAll(scratch) {
  const clients = chosen();
  const site = await Site.open(scratch);
  const rows = [];
  const problems = [];
  for (const client of clients) {
    const tried = await tryClient(scratch, site, client);
    rows.push(tried.row);
    problems.push(...tried.problems);
  }
  console.log(`\n${table(['client', 'version', 'operations'], rows)}\n`);
  const { lines } = await site.service.logLines();
  problems.push(...defectsIn(lines), ...(await site.service.stop()));
  return problems;
}

if (options.list) {
  for (const client of CLIENTS) console.log(`| ${rowOf(client).join(' | ')} |`);
} else {
  Object.assign(process.env, WITHOUT_CACHE);
  const scratch = await Scratch.open('trellis-clients-');
  await scratch.judge(() => tryAll(scratch), {
    seed: options.seed,
    success: 'Every client that was tried does what is expected of it.',
  });
}
