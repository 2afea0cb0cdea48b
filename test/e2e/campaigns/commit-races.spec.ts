/** @campaign crowds */
import { apiCommits, create } from '../../support/api-commits.js';
import type { Person } from '../../support/factories.js';
import { lengthOf } from '../../support/lengths.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { waitingFor, whileLocked } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

const AT_ONCE = lengthOf({ brief: 8, campaign: 20 });
const RIVALS = lengthOf({ brief: 4, campaign: 10 });
const PUSHES = lengthOf({ brief: 3, campaign: 5 });
const COMMITS = lengthOf({ brief: 6, campaign: 15 });

interface Made {
  id: string;
}

describe('concurrent commits through the API', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await pushed.remove();
  });

  async function make() {
    const made = await pushed.make();
    return { ...made, ...apiCommits(trellis, made.project, owner) };
  }

  it('are applied one after another without loss', async () => {
    const { commit, refs, project } = await make();
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => commit([create(`by-${String(index)}.txt`)])),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
    const line = (await refs.git('rev-list', '--first-parent', 'master')).split('\n');
    for (const { body } of answers) expect(line).toContain((body as Made).id);
    expect(line).toHaveLength(AT_ONCE + 1);
    expect((await refs.git('ls-tree', '--name-only', 'master')).split('\n')).toHaveLength(
      AT_ONCE + 1,
    );
    const rivals = await Promise.all(
      Array.from({ length: RIVALS }, () => commit([create('wanted')])),
    );
    expect(rivals.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array(RIVALS - 1).fill(400),
    ]);
    const events = await refs.events();
    expect(events).toHaveLength(AT_ONCE + 2);
    events.slice(1).forEach(({ before }, index) => expect(before).toBe(events[index]?.after));
    await refs.expectSound();
    expect(
      await trellis.rows('SELECT 1 FROM push_intents WHERE project_id = $1', [project.id]),
    ).toEqual([]);
  });

  it('are refused when git on the command line moves the branch first', async () => {
    const { commit, refs, head } = await make();
    const tree = `${head}^{tree}`;
    const moved = await refs.git('commit-tree', '-p', head, '-m', 'By hand', tree);
    // A commit has been checked against its branch, and stores its intent before git moves that.
    const { answer } = await whileLocked(trellis, 'push_intents', async () => {
      const late = commit([create('late.txt')]).then(({ status }) => status);
      await until(async () => (await waitingFor(trellis, 'push_intents')).length > 0);
      await refs.git('update-ref', 'refs/heads/master', moved, head);
      return { answer: late };
    });
    expect(await answer).toBe(409);
    expect(await refs.target('refs/heads/master')).toBe(moved);
    await refs.expectSound();
  });

  it('and pushes to the same branch do not overwrite each other', async () => {
    const { commit, refs, work, project } = await make();
    const other = await pushed.checkout(project, owner);
    const push = async (): Promise<string[]> => {
      const made: string[] = [];
      for (let round = 0; round < PUSHES; round += 1) {
        await other.git('fetch', '--quiet', other.remote, 'master');
        await other.git('reset', '--quiet', '--hard', 'FETCH_HEAD');
        const oid = await other.commit('Pushed', `pushed-${String(round)}`);
        if ((await other.push('HEAD:refs/heads/master')).code === 0) made.push(oid);
      }
      return made;
    };
    const commits = async (): Promise<string[]> => {
      const made: string[] = [];
      for (let round = 0; round < COMMITS; round += 1) {
        const answer = await commit([create(`api-${String(round)}`)]).expect(200);
        made.push((answer.body as Made).id);
      }
      return made;
    };
    const acknowledged = (await Promise.all([push(), commits()])).flat();
    const line = (await refs.git('rev-list', 'master')).split('\n');
    for (const oid of acknowledged) expect(line).toContain(oid);
    await refs.expectSound();
    await work.git('pull', '--quiet', work.remote, 'master');
  });
});
