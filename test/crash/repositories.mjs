// Bare repositories as they lie on the disk.
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { until } from './processes.mjs';
import { git } from './workspace.mjs';

const LOCK_PATIENCE_MS = 20_000;
const FSCK_PATIENCE_MS = 20_000;
/** The sweep takes repositories without project from this age on. */
const SWEPT_AFTER_MS = 60 * 60_000;
const DRAFT = /^\d+\.git\.(?:creating|removing)-[0-9a-f-]{36}$/;

const namesIn = (folder) => readdir(folder).catch(() => []);

/** All repositories by the id in their name, wherever they lie. */
export async function findRepositories(dataDir) {
  const root = path.join(dataDir, 'repositories', '@hashed');
  const byId = new Map();
  const problems = [];
  for (const outer of await namesIn(root)) {
    for (const inner of await namesIn(path.join(root, outer))) {
      const folder = path.join(root, outer, inner);
      for (const name of await namesIn(folder)) {
        const id = /^(\d+)\.git$/.exec(name)?.[1];
        const found = path.join(folder, name);
        if (id !== undefined) byId.set(Number(id), { path: found, packs: await packsOf(found) });
        else if (!(await isYoungDraft(found))) problems.push(`${found} should not be there`);
      }
    }
  }
  return { byId, problems };
}

async function isYoungDraft(folder) {
  const found = await stat(folder).catch(() => null);
  // Removed in between, as it should be.
  if (found === null) return true;
  return DRAFT.test(path.basename(folder)) && Date.now() - found.ctimeMs < SWEPT_AFTER_MS;
}

async function packsOf(repository) {
  const names = await namesIn(path.join(repository, 'objects', 'pack'));
  return names.filter((name) => name.endsWith('.pack')).length;
}

/** Branches and tags with their values. */
export async function readRefs(repository) {
  const format = '%(objectname) %(refname)';
  const { code, stdout, stderr } = await inRepository(repository, [
    'for-each-ref',
    `--format=${format}`,
  ]);
  if (code !== 0) throw new Error(`${repository}: ${stderr}`);
  const lines = stdout.split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
}

/** What is wrong with one repository in itself, and beside its project's row. */
export async function checkRepository({ id, defaultBranch }, repository, refs) {
  const problems = [];
  const head = (await readFile(path.join(repository, 'HEAD'), 'utf8')).trim();
  const branches = [...refs.keys()].filter((ref) => ref.startsWith('refs/heads/'));
  if (defaultBranch === null && branches.length > 0) {
    problems.push(`project ${id} has branches, but no default branch`);
  }
  if (defaultBranch !== null && head !== `ref: refs/heads/${defaultBranch}`) {
    problems.push(`project ${id}: the default branch is ${defaultBranch}, but HEAD says "${head}"`);
  }
  if (defaultBranch !== null && !refs.has(`refs/heads/${defaultBranch}`)) {
    problems.push(`project ${id}: the default branch ${defaultBranch} does not exist`);
  }
  await until(async () => (await locksIn(repository)).length === 0, LOCK_PATIENCE_MS, 100);
  for (const lock of await locksIn(repository)) problems.push(`${repository}: ${lock} is left`);
  problems.push(...(await brokenObjects(repository)));
  return problems;
}

/** Locks that stop later pushes; those of housekeeping in `objects` stop nobody. */
async function locksIn(repository) {
  const refs = await namesBelow(path.join(repository, 'refs'));
  const top = await readdir(repository);
  return [
    ...refs.filter((name) => name.endsWith('.lock')).map((name) => `refs/${name}`),
    ...top.filter((name) => name.endsWith('.lock') && name !== 'housekeeping.lock'),
  ];
}

/** Packing may take a folder away while it is being read: then they are read again. */
async function namesBelow(folder) {
  for (;;) {
    try {
      return await readdir(folder, { recursive: true });
    } catch (error) {
      if (error.code !== 'ENOENT' || !(await isThere(folder))) throw error;
    }
  }
}

const isThere = (file) =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Packing beside it may take a file away that was just being looked at: a second look tells. */
async function brokenObjects(repository) {
  let said = '';
  const whole = await until(
    async () => {
      const { code, stdout, stderr } = await inRepository(repository, ['fsck', '--no-dangling']);
      said = `${stdout}${stderr}`.trim();
      return code === 0 && !/^(error|missing|broken)/m.test(said);
    },
    FSCK_PATIENCE_MS,
    500,
  );
  return whole ? [] : [`${repository}: git fsck says ${said}`];
}

const inRepository = (repository, args) =>
  git(['-c', 'safe.directory=*', `--git-dir=${repository}`, ...args]);

/** Whether housekeeping has been there: what a push leads to in the end. It writes no graph where no ref has moved. */
export async function isTidied(repository) {
  if ((await readRefs(repository)).size === 0) return true;
  const graphs = await namesIn(path.join(repository, 'objects', 'info', 'commit-graphs'));
  return graphs.some((name) => name.endsWith('.graph'));
}
