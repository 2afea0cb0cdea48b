import path from 'node:path';
import { readdir } from 'node:fs/promises';
import { ROOT } from '../scripts/paths.mjs';
import { TABLES } from './baseline/rows.mjs';
import { COMMIT_FORMAT, parseCommits } from './commit-log.mjs';
import { git } from './git.mjs';
import { generateHistory } from './history.mjs';

/** A history shorter than this says little about clones. */
const LEAST_COMMITS = 50;
const PUBLIC = 20;
export const PRIVATE = 0;

/**
 * A history and the project of the service that holds it.
 * @typedef {object} Stock
 * @property {string} label
 * @property {string} source a bare repository to push from
 * @property {string} head commit at the tip of `branch`
 * @property {string} branch
 * @property {any} project as the API describes it
 * @property {string} repository the folder in which the service keeps it
 */

/**
 * @param {import('./service.mjs').Service} service
 * @param {string} name
 * @param {{ visibility_level?: number, description?: string, namespace_id?: number }} [settings] public unless
 *   told
 */
export async function createProject(service, name, settings = {}) {
  return service.call('POST', '/projects', { name, visibility_level: PUBLIC, ...settings });
}

/** @param {import('./service.mjs').Service} service */
export async function repositoryOf(service, project) {
  const entries = await readdir(service.repositories, { recursive: true });
  const found = entries.find((entry) => path.basename(entry) === `${project.id}.git`);
  if (found === undefined) throw new Error(`Project ${project.id} has no repository`);
  return path.join(service.repositories, found);
}

/**
 * Pushes all branches of a bare repository to a new project.
 * @param {Parameters<typeof createProject>[2]} [settings] of the project
 * @returns {Promise<Stock>}
 */
export async function stock(service, source, name, settings) {
  const [head, branch, count] = await Promise.all([
    git(['-C', source, 'rev-parse', 'HEAD']),
    git(['-C', source, 'symbolic-ref', '--short', 'HEAD']),
    git(['-C', source, 'rev-list', '--all', '--count']),
  ]);
  const project = await createProject(service, name, settings);
  const refs = [`HEAD:refs/heads/${branch.trim()}`, 'refs/heads/*:refs/heads/*'];
  await git(['-C', source, 'push', '--quiet', service.gitUrl(project), ...refs]);
  const repository = await repositoryOf(service, project);
  const label = `${name}, ${count.trim()} commits`;
  return { label, source, head: head.trim(), branch: branch.trim(), project, repository };
}

/** A project with the generated history, and its commits and branches as rows. */
export async function seedReads({ service, database, folder }) {
  const source = path.join(folder, 'generated.git');
  await generateHistory(source);
  const generated = await stock(service, source, 'generated');
  await seedRows(database, source);
  return generated;
}

/** This project's own history where the checkout has one, else nothing. */
export async function seedOwnHistory({ service, folder }) {
  if (!(await hasOwnHistory())) return undefined;
  const source = path.join(folder, 'own.git');
  await git(['clone', '--quiet', '--bare', '--single-branch', `file://${ROOT}`, source]);
  return await stock(service, source, 'own history');
}

async function hasOwnHistory() {
  const answers = await Promise.all([
    git(['-C', ROOT, 'rev-list', '--count', 'HEAD', '--']),
    git(['-C', ROOT, 'rev-parse', '--is-shallow-repository']),
    git(['-C', ROOT, 'symbolic-ref', 'HEAD']),
  ]).catch(() => ['0', 'true']);
  return Number(answers[0]) >= LEAST_COMMITS && answers[1].trim() === 'false';
}

async function seedRows(database, source) {
  const history = parseCommits(
    await git(['-C', source, 'log', '--topo-order', '--shortstat', COMMIT_FORMAT, 'master']),
  );
  const topics = parseCommits(
    await git(['-C', source, 'log', '--shortstat', COMMIT_FORMAT, '--branches', '^master']),
  );
  const commits = [...history, ...topics].map((commit, position) => ({ ...commit, position }));
  const format = '--format={"name":"%(refname:short)","commit_id":"%(objectname)"}';
  const refs = await git(['-C', source, 'for-each-ref', format, 'refs/heads']);
  await database.rows(TABLES);
  await fill(database, 'commits', commits);
  await fill(
    database,
    'branches',
    refs
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  await database.rows('ANALYZE');
}

async function fill(database, table, rows) {
  const type = `bench.${table}`;
  await database.rows(
    `INSERT INTO ${type} SELECT * FROM jsonb_populate_recordset(NULL::${type}, $1)`,
    [JSON.stringify(rows)],
  );
}
