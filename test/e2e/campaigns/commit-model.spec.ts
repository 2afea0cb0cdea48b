/** @campaign models */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  oneof,
  record,
} from 'fast-check';
import { type ApiCommits, apiCommits } from '../../support/api-commits.js';
import type { Person } from '../../support/factories.js';
import { isSeedFixed, lengthOf, seedOf } from '../../support/lengths.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { allPages } from '../../support/pushed-history.js';
import { afterActions, listedFiles, type ModelTree } from '../../support/tree-model.js';
import { Trellis } from '../../support/trellis.js';

const SEED = seedOf(20_170_109);
const RUNS = lengthOf({ brief: 3, campaign: 40 });

/** Few, and such that files and folders get into one another's way and sort apart. */
const PATHS = [
  'a',
  'a.b',
  'a-b',
  'a/b',
  'a/b/c',
  'a/b.c',
  'd/e/f',
  'd/e',
  'tool',
  'link',
  'ü/日本 x',
];

interface Batch {
  branch: string;
  actions: Action[];
}

type Action = Parameters<typeof afterActions>[1][number];

const places = constantFrom(...PATHS);
const contents = constantFrom('', 'one\n', 'two\r\n', 'Grüße ☃');
const change = <A extends string>(action: A) => ({ action: constant(action), file_path: places });
const actions = oneof(
  { weight: 4, arbitrary: record({ ...change('create'), content: contents }) },
  { weight: 2, arbitrary: record({ ...change('update'), content: contents }) },
  { weight: 2, arbitrary: record(change('delete')) },
  {
    weight: 3,
    arbitrary: record(
      { ...change('move'), previous_path: places, content: contents },
      { requiredKeys: ['action', 'file_path', 'previous_path'] },
    ),
  },
);
const batches = array(
  record({
    branch: constantFrom('master', 'master', 'topic', 'topic-2'),
    actions: array(actions, { minLength: 1, maxLength: 3, size: '-1' }),
  }),
  { minLength: 8, maxLength: 16 },
);

jest.setTimeout(600_000);

/** A project beside the model of its branches. */
interface Modelled extends ApiCommits {
  projectId: number;
  branches: Map<string, ModelTree>;
}

describe('commits of files', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;
  const outcomes = { made: 0, refused: 0 };

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 10_000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await pushed.remove();
  });

  it(`leave what a simple model says, or nothing at all (seed ${String(SEED)})`, async () => {
    await assert(
      asyncProperty(boolean(), batches, async (isFilled, list) => {
        const modelled = isFilled ? await filled() : await empty();
        for (const batch of list) await compare(modelled, batch);
        await modelled.refs.expectSound();
      }),
      { seed: SEED, numRuns: RUNS },
    );
    if (!isSeedFixed()) return;
    expect(outcomes.made).toBeGreaterThan(RUNS);
    expect(outcomes.refused).toBeGreaterThan(RUNS);
  });

  async function empty(): Promise<Modelled> {
    const project = await trellis.factories.project(owner);
    const api = apiCommits(trellis, project, owner);
    return { ...api, projectId: project.id, branches: new Map() };
  }

  /** With files of every mode, which only git can make. */
  async function filled(): Promise<Modelled> {
    const { project, work } = await pushed.make();
    const at = (name: string) => path.join(work.folder, name);
    await work.git('rm', '--quiet', 'file.txt');
    await mkdir(at('d/e'), { recursive: true });
    await writeFile(at('tool'), 'echo\n');
    await chmod(at('tool'), 0o755);
    await symlink('tool', at('link'));
    await work.commit('Modes', 'd/e/f');
    expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
    const api = apiCommits(trellis, project, owner);
    const master = new Map([
      ['tool', { mode: '100755', content: 'echo\n' }],
      ['link', { mode: '120000', content: 'tool' }],
      ['d/e/f', { mode: '100644', content: 'Modes 2\n' }],
    ]);
    return { ...api, projectId: project.id, branches: new Map([['master', master]]) };
  }

  /** Sends a batch, and holds what came of it against the model. */
  async function compare(modelled: Modelled, { branch, actions: some }: Batch): Promise<void> {
    const { branches, commit } = modelled;
    const isFirst = branches.size === 0;
    const [start = branch] = branches.keys();
    if (!isFirst && !branches.has(branch)) {
      await commit(some, { branch_name: branch }).expect(400);
      const made = { branch_name: branch, ref: start };
      const url = `/projects/${String(modelled.projectId)}/repository/branches`;
      await trellis.as(owner).post(url, made).expect(200);
      branches.set(branch, new Map(branches.get(start)));
    }
    // A first commit has nothing to change, not even what it has just made.
    const isAllowed = !isFirst || some.every(({ action }) => action === 'create');
    const expected = isAllowed ? afterActions(branches.get(branch) ?? new Map(), some) : null;
    const before = await heads(modelled);
    const parent = before[branch];
    const answer = await commit(some, { branch_name: branch });
    if (expected === null) {
      outcomes.refused += 1;
      expect({ some, status: answer.status }).toEqual({ some, status: 400 });
      expect(await heads(modelled)).toEqual(before);
      return;
    }
    outcomes.made += 1;
    expect({ some, status: answer.status, body: answer.body }).toMatchObject({
      some,
      status: 200,
      body: { parent_ids: parent === undefined ? [] : [parent] },
    });
    branches.set(branch, expected);
    await expectTree(modelled, branch, expected);
    const { id } = answer.body as { id: string };
    expect(await heads(modelled)).toEqual({ ...before, [branch]: id });
  }

  /** What every branch and tag points at, by its short name. */
  async function heads({ refs }: Modelled): Promise<Record<string, string>> {
    const lines = await refs.git('for-each-ref', '--format=%(refname:lstrip=2) %(objectname)');
    const pairs = lines.split('\n').filter(Boolean);
    return Object.fromEntries(pairs.map((line) => line.split(' ') as [string, string]));
  }

  /** git and the API agree with the model on a branch. */
  async function expectTree(modelled: Modelled, name: string, tree: ModelTree): Promise<void> {
    const { refs, projectId } = modelled;
    const expected = listedFiles(tree).sort();
    const told = await refs.git('ls-tree', '-r', '-z', `refs/heads/${name}`);
    expect(told.split('\0').filter(Boolean).sort()).toEqual(expected);
    const entries = await allPages<{ id: string; type: string; mode: string; path: string }>(
      trellis.as(owner),
      `/projects/${String(projectId)}/repository/tree?recursive=true&ref_name=${name}`,
    );
    const files = entries.filter(({ type }) => type !== 'tree');
    expect(files.map((file) => `${file.mode} blob ${file.id}\t${file.path}`).sort()).toEqual(
      expected,
    );
    // A folder is there because of a file that is in it, and for no other reason.
    for (const { type, path: folder } of entries) {
      if (type === 'tree')
        expect(files.some((file) => file.path.startsWith(`${folder}/`))).toBe(true);
    }
  }
});
