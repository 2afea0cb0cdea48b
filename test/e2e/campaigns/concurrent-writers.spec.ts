/** @campaign crowds */
import { apiCommits, create } from '../../support/api-commits.js';
import type { Checkout } from '../../support/checkout.js';
import type { Person } from '../../support/factories.js';
import { lengthOf } from '../../support/lengths.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import type { PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

/** No more than one address may have under way: others would be told to come again, if it took too long. */
const API_WRITERS = lengthOf({ brief: 24, campaign: 120 });
const GIT_WRITERS = lengthOf({ brief: 8, campaign: 80 });
/** One writer of so many wants the same file on the same branch. */
const WANTED_EVERY = lengthOf({ brief: 6, campaign: 21 });
/** Processes of git clients at once. */
const CLIENTS = 4;
const SHARED = ['master', 'shared-a', 'shared-b'];

/** What a writer was told. */
interface Written {
  branch: string;
  file: string;
  /** The commit that was acknowledged; null with the refusal's text. */
  commit: string | null;
  text: string;
}

describe('many concurrent writers of one repository', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
  });

  it('get an acknowledgement or an error, and acknowledged writes persist', async () => {
    const { project, work, head } = await projects.make();
    const { commit, refs } = apiCommits(trellis, project, owner);
    for (const branch of SHARED.slice(1)) await work.git('branch', branch, head);
    for (let index = 0; index < API_WRITERS; index += 3) {
      await work.git('branch', `api-${String(index)}`, head);
    }
    const begun = ['shared', 'api'].map((name) => `refs/heads/${name}-*:refs/heads/${name}-*`);
    expect((await work.push(...begun)).code).toBe(0);

    /** Two of three write to a shared branch, one to a branch of its own. */
    const viaApi = async (index: number): Promise<Written> => {
      const own = `api-${String(index)}`;
      const branch = index % 3 === 0 ? own : (SHARED[index % SHARED.length] as string);
      const file = index % WANTED_EVERY === 1 ? 'wanted.txt' : `${own}.txt`;
      const answer = await commit([create(file)], { branch_name: branch });
      const { id, message } = answer.body as { id?: string; message?: string };
      expect([200, 400]).toContain(answer.status);
      return {
        branch,
        file,
        commit: answer.status === 200 ? String(id) : null,
        text: message ?? '',
      };
    };
    const viaGit = async (checkout: Checkout, index: number): Promise<Written> => {
      const own = `git-${String(index)}`;
      const branch = index % 2 === 0 ? own : (SHARED[index % SHARED.length] as string);
      const from = branch === own ? 'master' : branch;
      await checkout.git('fetch', '--quiet', checkout.remote, from);
      await checkout.git('checkout', '--quiet', '--detach', 'FETCH_HEAD');
      const made = await checkout.commit(own, `${own}.txt`);
      const { code, stderr } = await checkout.push(`HEAD:refs/heads/${branch}`);
      return { branch, file: `${own}.txt`, commit: code === 0 ? made : null, text: stderr };
    };
    const client = async (first: number): Promise<Written[]> => {
      const checkout = await projects.checkout(project, owner);
      const written: Written[] = [];
      for (let index = first; index < GIT_WRITERS; index += CLIENTS) {
        written.push(await viaGit(checkout, index));
      }
      return written;
    };
    const told = await Promise.all([
      ...Array.from({ length: API_WRITERS }, async (_, index) => [await viaApi(index)]),
      ...Array.from({ length: CLIENTS }, (_, first) => client(first)),
    ]);
    const written = told.flat();
    expect(written).toHaveLength(API_WRITERS + GIT_WRITERS);

    const acknowledged = written.filter((one) => one.commit !== null);
    const refused = written.filter((one) => one.commit === null);
    // Whoever writes to a branch of their own is never in anybody's way.
    expect(refused.filter(({ branch }) => !SHARED.includes(branch))).toEqual([]);
    for (const { file, text } of refused) {
      if (file === 'wanted.txt') expect(text).toContain('`wanted.txt` already exists');
      else expect(text).toMatch(/\[(?:remote )?rejected\]|fetch first/);
    }
    // All writers of the API but those who want a file that is there are made one upon the other.
    expect(refused.filter(({ file }) => file.startsWith('api-'))).toEqual([]);
    const wanted = written.filter(({ file }) => file === 'wanted.txt');
    expect(wanted.filter((one) => one.commit !== null)).toHaveLength(1);
    expect(wanted.length).toBeGreaterThan(1);

    await refs.expectSound();
    const events = await refs.events();
    const graph = await parentsByCommit(refs);
    const tips = await tipsByBranch(refs);
    for (const branch of new Set(acknowledged.map((one) => one.branch))) {
      // By the first push, on which the writers go on.
      const isBegun = SHARED.includes(branch) || branch.startsWith('api-');
      const mine = acknowledged.filter((one) => one.branch === branch).map((one) => one.commit);
      // One parent each, and nothing but what was acknowledged.
      const line: string[] = [];
      for (let at = tips.get(branch) ?? ''; line.length < mine.length;) {
        line.push(at);
        const parents = graph.get(at) ?? [];
        expect(parents).toHaveLength(1);
        at = parents[0] ?? '';
        if (isBegun && line.length === mine.length) expect(at).toBe(head);
      }
      expect([...line].sort()).toEqual([...mine].sort());
      const moves = events.filter(({ ref }) => ref === `refs/heads/${branch}`);
      expect(moves.slice(isBegun ? 1 : 0).map(({ after }) => after)).toEqual(line.reverse());
      moves.slice(1).forEach(({ before }, at) => expect(before).toBe(moves[at]?.after));
    }
    for (const branch of SHARED) {
      const files = (await refs.git('ls-tree', '--name-only', branch)).split('\n');
      const mine = acknowledged.filter((one) => one.branch === branch).map(({ file }) => file);
      expect(files.sort()).toEqual(['file.txt', ...mine].sort());
    }
  });
});

async function parentsByCommit(refs: PushedRefs): Promise<Map<string, string[]>> {
  const lines = (await refs.git('rev-list', '--parents', '--branches')).split('\n');
  return new Map(
    lines.map((line) => {
      const [oid = '', ...parents] = line.split(' ');
      return [oid, parents];
    }),
  );
}

async function tipsByBranch(refs: PushedRefs): Promise<Map<string, string>> {
  const format = '--format=%(refname:lstrip=2) %(objectname)';
  const lines = (await refs.git('for-each-ref', format, 'refs/heads/')).split('\n');
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}
