import { lstat, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { cpuMsOfDescendants } from '../cpu-time.mjs';
import { Receiver } from '../deliveries/receiver.mjs';
import { git } from '../git.mjs';
import { inParallel } from '../parallel.mjs';
import { createProject, PRIVATE, stock } from '../seed.mjs';
import { Service } from '../service.mjs';

/** On which notes are written by turns. */
const ISSUES = 8;
/** What `lstat` counts in. */
const BLOCK_BYTES = 512;
const LABELS = ['bug', 'urgent'];

/**
 * What a site has to have room for: of each thing that users do, the processor time of all processes, the bytes that
 * PostgreSQL writes ahead (its standbys receive as many) and the bytes by which the database and the repositories grow.
 * The jobs that the thing causes are included. Bytes do not depend on what else the machine does.
 */
export async function measureCapacity(world) {
  const { progress, options } = world;
  progress.step('capacity: starting');
  const folder = path.join(world.folder, 'capacity');
  await mkdir(folder);
  const database = await world.database.another('capacity');
  const environment = { WEBHOOK_ALLOW_LOCAL: 'true' };
  const service = await Service.start({ folder, databaseUrl: database.url, environment });
  const receiver = await Receiver.start();
  try {
    const place = { ...world, folder, database, service, receiver };
    const capacity = [];
    for (const [name, prepare] of Object.entries(THINGS)) {
      if (!name.includes(options.match)) continue;
      progress.step('capacity', name);
      capacity.push({ name, ...(await costOf(place, await prepare(place))) });
    }
    return { capacity };
  } finally {
    await service.stop();
    await receiver.stop();
  }
}

/**
 * By name, each prepares a project of its own and answers how one of the things is done.
 * @type {Record<string, (place: any) => Promise<(number: number) => Promise<unknown>>>}
 */
const THINGS = {
  'project, empty': async ({ service }) => {
    return (number) => createProject(service, `empty-${number}`, { visibility_level: PRIVATE });
  },
  'issue with two labels': async (place) => {
    const { call, route } = await tracker(place, 'issues');
    return (number) => call(`${route}/issues`, issue(number));
  },
  'note on an issue': async (place) => {
    const { call, route } = await tracker(place, 'notes');
    const issues = await inParallel(numbers(ISSUES), (number) =>
      call(`${route}/issues`, issue(number)),
    );
    return (number) =>
      call(`${route}/issues/${issues[number % ISSUES].id}/notes`, { body: text(number, 3) });
  },
  'commit status': async (place) => {
    const { call, route, head } = await tracker(place, 'statuses');
    return (number) =>
      call(`${route}/statuses/${head}`, { state: 'success', name: `job-${number}` });
  },
  'commit of a file by the API': async (place) => {
    const { call, route } = await tracker(place, 'files');
    return one((number) => call(`${route}/repository/files`, file(number)));
  },
  'push of a commit (with the client’s git)': async (place) => {
    const { project } = await tracker(place, 'pushes');
    const clone = path.join(place.folder, 'clone');
    await git(['clone', '--quiet', place.service.gitUrl(project), clone]);
    return one(async (number) => {
      await git(['-C', clone, 'commit', '--quiet', '--allow-empty', '-m', `Change ${number}`]);
      await git(['-C', clone, 'push', '--quiet', 'origin', 'HEAD']);
    });
  },
  'clone of 1,000 commits (with the client’s git)': async ({ generated, service, folder }) => {
    const { project } = await stock(service, generated.source, 'clones');
    const address = service.gitUrl(project);
    return (number) =>
      git(['clone', '--quiet', '--bare', address, path.join(folder, `clone-${number}`)]);
  },
  'issue with two labels, delivered to a hook': async (place) => {
    const { call, route } = await tracker(place, 'hooks');
    await call(`${route}/hooks`, { url: place.receiver.url, issues_events: true });
    return (number) => call(`${route}/issues`, issue(number));
  },
};

async function tracker({ service }, name) {
  const project = await createProject(service, `with-${name}`, { visibility_level: PRIVATE });
  const call = (route, body) => service.call('POST', route, body);
  const route = `/projects/${project.id}`;
  await call(`${route}/repository/files`, file(0));
  for (const label of LABELS) await call(`${route}/labels`, { name: label, color: '#428BCA' });
  const { commit } = await service.call('GET', `${route}/repository/branches/master`);
  return { call, project, route, head: commit.id };
}

/** Sentences of about a hundred characters. */
const text = (number, sentences) =>
  `${number}: ${'Words that people write in issues and in comments, long enough to say what is meant. '.repeat(sentences)}`;

const issue = (number) => ({
  ...{
    title: text(number, 1).slice(0, 60),
    description: text(number, 5),
    labels: LABELS.join(','),
  },
});

const file = (number) => ({
  branch_name: 'master',
  file_path: `folder/file-${number}.txt`,
  content: text(number, 5),
  commit_message: `Add file ${number}`,
});

/** Lets things be done one after another: each push of a branch waits for the one before. */
function one(work) {
  let last = Promise.resolve();
  return (number) => {
    last = last.then(() => work(number));
    return last;
  };
}

const numbers = (count, from = 1) => Array.from({ length: count }, (_, at) => from + at);

async function costOf({ service, database, options }, work) {
  const times = options.effort.capacityTimes;
  // After a checkpoint, the first change of a page writes all of it ahead; later ones are usual.
  await inParallel(numbers(times), work);
  await database.untilJobsAreDone();
  const before = await sizes(service, database);
  await inParallel(numbers(times, times + 1), work);
  await database.untilJobsAreDone();
  const after = await sizes(service, database);
  const each = Object.keys(before).map((name) => [name, (after[name] - before[name]) / times]);
  return Object.fromEntries(each);
}

async function sizes(service, database) {
  const cpuMs = cpuMsOfDescendants();
  const repositoryBytes = await diskUsage(service.repositories);
  const [row] = await database.rows(
    `SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, pg_database_size(current_database()) AS size`,
  );
  return {
    cpuMs,
    walBytes: Number(row.wal),
    databaseBytes: Number(row.size),
    repositoryBytes,
  };
}

/** The bytes that a folder takes on the disk, its blocks counted whole. */
async function diskUsage(folder) {
  const names = await readdir(folder, { recursive: true });
  let blocks = 0;
  for (const name of names) blocks += (await lstat(path.join(folder, name))).blocks;
  return blocks * BLOCK_BYTES;
}
