/** @campaign hostile */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { settlesWithin } from '../../../src/platform/async/index.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { type MergeRequestBody, mergeRequestsOf, pathOf } from '../../support/merge-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { renamedFiles } from '../../support/renamed-files.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

/** Far more than an answer takes that waits for nobody, and less than any time limit of git. */
const PATIENCE_MS = 8_000;

/** Opens a merge request of one branch into another for each pair. */
async function propose(
  trellis: Trellis,
  owner: Person,
  project: MadeProject,
  pairs: readonly (readonly [source: string, target: string])[],
): Promise<MergeRequestBody[]> {
  const requests: MergeRequestBody[] = [];
  for (const [source_branch, target_branch] of pairs) {
    const fields = { source_branch, target_branch, title: source_branch };
    const { body } = await trellis.as(owner).post(mergeRequestsOf(project), fields).expect(200);
    requests.push(body as MergeRequestBody);
  }
  return requests;
}

/** Lets git run a command only while there is no gate. */
class HeldGit {
  private constructor(
    private readonly folder: string,
    private readonly search: string,
  ) {}

  static async create(command: string): Promise<HeldGit> {
    const search = process.env['PATH'] ?? '';
    const held = new HeldGit(await mkdtemp(path.join(tmpdir(), 'trellis-held-git-')), search);
    const loop = `while [ -e '${held.gate}' ]; do sleep 0.05; done`;
    const wait = `case " $* " in *" ${command} "*) ${loop} ;; esac`;
    const program = path.join(held.folder, 'git');
    await writeFile(program, `#!/bin/sh\nPATH='${search}'\n${wait}\nexec git "$@"\n`);
    await chmod(program, 0o755);
    process.env['PATH'] = `${held.folder}:${search}`;
    return held;
  }

  hold(): Promise<void> {
    return writeFile(this.gate, '');
  }

  release(): Promise<void> {
    return rm(this.gate, { force: true });
  }

  async remove(): Promise<void> {
    process.env['PATH'] = this.search;
    await rm(this.folder, { recursive: true, force: true });
  }

  private get gate(): string {
    return path.join(this.folder, 'gate');
  }
}

/** Starts a service whose git may compare for a minute. */
async function startPatiently() {
  const gitLimits = { comparisonTimeoutMs: 60_000 };
  const trellis = await Trellis.start({ because: 'git limits', gitLimits });
  const owner = await trellis.factories.user();
  return { trellis, owner, projects: new PushedProjects(trellis, owner) };
}

describe('slow merges of git', () => {
  let merges: HeldGit;
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    merges = await HeldGit.create('merge-tree');
    ({ trellis, owner, projects } = await startPatiently());
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.stop();
    await merges.remove();
  });
  beforeEach(() => merges.hold());
  afterEach(() => merges.release());

  const work = () => {
    const counts = trellis.git.processCounts().find(({ kind }) => kind === 'interactive');
    return (counts?.running ?? 0) + (counts?.waiting ?? 0);
  };

  /** Merge requests of two projects, as many in each as a repository has slots. */
  async function requestsOfTwoProjects(): Promise<MergeRequestBody[]> {
    const requests: MergeRequestBody[] = [];
    for (let count = 0; count < 2; count += 1) {
      const { project, work: checkout } = await projects.make();
      const names = Array.from({ length: 8 }, (_, index) => `topic-${String(index)}`);
      for (const name of names) {
        await checkout.commit(name, `${name}.txt`);
        await checkout.push(`HEAD:refs/heads/${name}`);
      }
      requests.push(
        ...(await propose(
          trellis,
          owner,
          project,
          names.map((name) => [name, 'master'] as const),
        )),
      );
    }
    return requests;
  }

  it('leave slots of git to other users', async () => {
    const guest = await trellis.factories.user();
    const others = new PushedProjects(trellis, guest);
    const { project } = await others.make();
    const requests = await requestsOfTwoProjects();
    const reads = requests.map((request) => trellis.as(owner).get(pathOf(request)).expect(200));
    const answers = Promise.all(reads);
    await until(() => Promise.resolve(work() >= requests.length));
    const list = trellis.as(guest).get(`/projects/${String(project.id)}/repository/commits`);
    const asked = list.expect(200).then((answer) => answer.body as unknown[]);
    expect(await settlesWithin(asked, PATIENCE_MS)).toBe(true);
    expect(await asked).toHaveLength(1);
    await merges.release();
    const statuses = (await answers).map(({ body }) => (body as MergeRequestBody).merge_status);
    expect(new Set(statuses)).toEqual(new Set(['can_be_merged']));
    await others.remove();
  });
});

describe('comparisons beyond the time limit of git', () => {
  let merges: HeldGit;
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;
  let request: MergeRequestBody;

  beforeAll(async () => {
    merges = await HeldGit.create('merge-tree');
    trellis = await Trellis.start({ because: 'git limits', gitLimits: { comparisonTimeoutMs: 1 } });
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
    await importRenames(trellis, project, { files: 390, lines: 100 });
    // On a busy machine git may be done before a timer of a millisecond is noticed.
    await merges.hold();
    [request] = (await propose(trellis, owner, project, [['theirs', 'ours']])) as [
      MergeRequestBody,
    ];
  });
  afterAll(async () => {
    await trellis.stop();
    await merges.remove();
  });

  const repository = () => `/projects/${String(project.id)}/repository`;

  it.each([
    ['a commit', () => `${repository()}/commits/theirs/diff`],
    ['a comparison', () => `${repository()}/compare?from=master&to=theirs`],
    ['the changes of a merge request', () => `${pathOf(request)}/changes`],
    ['the lines of a commit', () => `${repository()}/commits/theirs`],
  ])('return 503 with Retry-After, for %s', async (_, address) => {
    const answer = await trellis.as(owner).get(address()).expect(503);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(answer.body).toEqual({ message: expect.any(String) as string });
  });

  it('leave the merge status of a merge request unchecked', async () => {
    const { body } = await trellis.as(owner).get(pathOf(request)).expect(200);
    expect(body).toMatchObject({ state: 'opened', merge_status: 'unchecked' });
    const refused = await trellis
      .as(owner)
      .put(`${pathOf(request)}/merge`)
      .expect(503);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  });
});

describe('a slow diff of git', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
  });
  afterAll(() => trellis.stop());

  it('delays no other diff of the project', async () => {
    const [owner, stranger] = [await trellis.factories.user(), await trellis.factories.user()];
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await importRenames(trellis, project, { files: 390, lines: 1_500 });
    await importRenames(trellis, project, { files: 1, lines: 10 }, 'small-');
    const differenceOf = (person: Person, branch: string) =>
      trellis
        .as(person)
        .get(`/projects/${String(project.id)}/repository/commits/${branch}/diff`)
        .expect(200)
        .then(({ body }) => body as { renamed_file: boolean }[]);
    await trellis.as(stranger).get(`/projects/${String(project.id)}/repository/branches`);
    const before = trellis.git.runningProcesses;
    const slow = differenceOf(stranger, 'theirs');
    await until(() => Promise.resolve(trellis.git.runningProcesses > before));
    const small = differenceOf(owner, 'small-theirs');
    expect(await Promise.race([slow.then(() => 'slow'), small.then(() => 'small')])).toBe('small');
    expect((await small).map((file) => file.renamed_file)).toEqual([true]);
    expect((await slow).length).toBeGreaterThan(0);
  });
});

describe('a version whose size takes git too long to count', () => {
  let differences: HeldGit;
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    differences = await HeldGit.create('diff-tree');
    ({ trellis, owner, projects } = await startPatiently());
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.stop();
    await differences.remove();
  });

  it('is recorded as truncated, and delays no push', async () => {
    const { project, work } = await projects.make();
    await work.commit('Topic', 'topic.txt');
    await work.push('HEAD:refs/heads/topic');
    await differences.hold();
    const opened = propose(trellis, owner, project, [['topic', 'master']]);
    const pushed = work.push('HEAD:refs/heads/other');
    expect(await settlesWithin(Promise.all([opened, pushed]), 3 * PATIENCE_MS)).toBe(true);
    expect((await pushed).code).toBe(0);
    const [request] = (await opened) as [MergeRequestBody];
    const { body } = await trellis
      .as(owner)
      .get(`${pathOf(request)}/versions`)
      .expect(200);
    expect(body).toMatchObject([{ state: 'overflow', real_size: '1000+' }]);
    await differences.release();
    const changes = await trellis
      .as(owner)
      .get(`${pathOf(request)}/changes`)
      .expect(200);
    expect(changes.body).toMatchObject({ changes: [{ new_path: 'topic.txt' }] });
  });
});

/** Adds the branches of `renamedFiles`. */
async function importRenames(
  trellis: Trellis,
  project: MadeProject,
  size: Parameters<typeof renamedFiles>[0],
  prefix = '',
): Promise<void> {
  const cwd = new Forks(trellis).folderOf(project);
  const input = renamedFiles(size).replaceAll('refs/heads/', `refs/heads/${prefix}`);
  await git(['fast-import', '--quiet', '--force'], { cwd, input });
}
