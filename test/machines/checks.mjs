// Whether database, repositories, clients and receivers of a site agree, once all is at rest.
import { withDatabase } from '../crash/database.mjs';
import { checkRepository, findRepositories, readRefs } from '../crash/repositories.mjs';
import { until } from '../crash/processes.mjs';
import { git } from '../crash/workspace.mjs';
import { check } from '../faults/checks.mjs';
import { readState, settled } from '../faults/state.mjs';

const SETTLE_MS = 180_000;

/**
 * @param receivers by the id of their hook
 * @param project that the clients commit to
 * @returns what is wrong
 */
export async function checkSite({ site, ledger, receivers, project }) {
  const reader = site.reader();
  await withDatabase(reader, (rows) => until(async () => !(await isMerging(rows)), SETTLE_MS));
  await settled(reader, SETTLE_MS);
  const state = await readState(reader);
  const copies = await Promise.all(site.machines.map((machine) => readCopy(site, machine)));
  return [
    ...check(state, ledger, receivers),
    ...ledger.unexcused,
    ...(await wrongNumbers(reader, ledger)),
    ...copies.flatMap(({ problems }) => problems),
    ...differences(copies),
    ...(await wrongHistory(copies[0], ledger, project)),
  ];
}

/** Whether there are pending merges, which push and have hooks. */
async function isMerging(rows) {
  const jobs = `SELECT 1 FROM outbox WHERE queue = 'merge-requests' AND failed_at IS NULL LIMIT 1`;
  return (await rows(jobs)).length > 0;
}

/** Reads all repositories in the brick of a machine. */
async function readCopy(site, machine) {
  const reader = site.reader(machine);
  const { byId, problems } = await findRepositories(reader.dataDir);
  const projects = await withDatabase(reader, (rows) =>
    rows('SELECT id, default_branch AS "defaultBranch" FROM projects ORDER BY id'),
  );
  const refs = new Map();
  for (const project of projects) {
    const folder = byId.get(project.id)?.path;
    if (folder === undefined) {
      problems.push(`${machine.name} has no repository of project ${project.id}`);
      continue;
    }
    const own = await readRefs(folder);
    problems.push(...(await checkRepository(project, folder, own)));
    refs.set(project.id, own);
  }
  return { machine, byId, refs, problems };
}

function differences([first, ...others]) {
  const textOf = ({ refs }) => JSON.stringify([...refs].map(([id, own]) => [id, [...own].sort()]));
  return others
    .filter((other) => textOf(other) !== textOf(first))
    .map(({ machine }) => `${machine.name} has other refs than ${first.machine.name}`);
}

/** Numbers of issues and merge requests: each once, and those that were answered. */
function wrongNumbers(reader, { iids }) {
  return withDatabase(reader, async (rows) => {
    const issues = await rows('SELECT title, iid, project_id AS "projectId" FROM issues');
    const byName = new Map(issues.map(({ title, iid }) => [`issue ${title}`, iid]));
    const wrong = [...iids].filter(([name, iid]) => byName.get(name) !== iid);
    const requests = await rows('SELECT iid, project_id AS "projectId" FROM merge_requests');
    return [
      ...wrong.map(([name, iid]) => `${name} was ${iid} and is ${byName.get(name)}`),
      ...repeated(issues.map(({ projectId, iid }) => `issue ${projectId}#${iid}`)),
      ...repeated(requests.map(({ projectId, iid }) => `merge request ${projectId}!${iid}`)),
    ];
  });
}

/** Each acknowledged commit and merge is in the history, and no commit or merge is there twice. */
async function wrongHistory({ byId, refs }, ledger, project) {
  const folder = byId.get(project.id).path;
  const log = await git([
    '-c',
    'safe.directory=*',
    `--git-dir=${folder}`,
    'log',
    '--format=%H %s',
    '--all',
  ]);
  const commits = log.stdout.split('\n').filter(Boolean);
  const ids = new Set(commits.map((line) => line.slice(0, 40)));
  const lost = [...ledger.commits].filter(([, { id }]) => !ids.has(id));
  const own = refs.get(project.id);
  const gone = [...ledger.commits.values()].filter(
    ({ branch }) => !own.has(`refs/heads/${branch}`),
  );
  return [
    ...lost.map(
      ([name, { id, branch }]) => `commit ${id} (${name}) of ${branch} was acknowledged and lost`,
    ),
    ...gone.map(({ branch }) => `branch ${branch} was acknowledged and lost`),
    ...repeated(commits.map((line) => line.slice(41))),
    ...(await unmerged(folder, ledger)),
  ];
}

/** Acknowledged merges that the target branch does not have. */
async function unmerged(folder, { writes }) {
  const args = ['-c', 'safe.directory=*', `--git-dir=${folder}`, 'log', '--format=%s', 'master'];
  const subjects = (await git(args)).stdout;
  return [...writes.values()]
    .filter(({ name, isAcknowledged }) => isAcknowledged && name.startsWith('merge '))
    .map(({ name }) => name.slice('merge '.length))
    .filter((topic) => !subjects.includes(`Merge branch '${topic}' into 'master'`))
    .map((topic) => `the merge of ${topic} was acknowledged and lost`);
}

function repeated(names) {
  const seen = new Set();
  const twice = names.filter((name) => seen.has(name) || !seen.add(name));
  return twice.map((name) => `twice there: ${name}`);
}
