import { DomainEvents } from '../../../src/platform/events/index.js';
import { CommitStatusChanged } from '../../../src/modules/repository/index.js';
import { type Person, unique } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const STATES = ['pending', 'running', 'success', 'failed', 'canceled'] as const;
const FINAL = new Set<string>(['success', 'failed', 'canceled']);
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

interface StatusBody {
  id: number;
  status: string;
  started_at: string | null;
  finished_at: string | null;
  author: { id: number };
}

describe('commit statuses', () => {
  let trellis: Trellis;
  let owner: Person;
  let developer: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let told: CommitStatusChanged[];
  let publishing: jest.SpyInstance;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    developer = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    made = await projects.make();
    await trellis.factories.addToProject(made.project, developer, 30);
    const events = trellis.app.get(DomainEvents);
    const publish = events.publish.bind(events);
    publishing = jest.spyOn(events, 'publish').mockImplementation((event) => {
      if (!(event instanceof CommitStatusChanged)) return publish(event);
      told.push(event);
      return event.ref === 'refused'
        ? Promise.reject(new Error('A subscriber fails'))
        : publish(event);
    });
  });
  beforeEach(() => {
    told = [];
  });
  afterAll(() => {
    publishing.mockRestore();
    return projects.remove();
  });

  const post = (body: object, sha = made.head, person = developer) =>
    trellis.as(person).post(`/projects/${String(made.project.id)}/statuses/${sha}`, body);
  const posted = async (body: object, sha?: string, person?: Person) =>
    (await post(body, sha, person).expect(200)).body as StatusBody;
  const rowsOf = (name: string) =>
    trellis.rows<{ status: string }>(
      'SELECT status FROM commit_statuses WHERE project_id = $1 AND name = $2 ORDER BY id',
      [made.project.id, name],
    );

  describe('in transitions', () => {
    it.each(STATES)('start with %s', async (state) => {
      const name = unique();
      const status = await posted({ state, name, ref: 'master' });
      expect(status).toMatchObject({
        status: state,
        started_at: state === 'running' ? TIMESTAMP : null,
        finished_at: FINAL.has(state) ? TIMESTAMP : null,
      });
      expect(told).toMatchObject([
        {
          projectId: made.project.id,
          sha: made.head,
          ref: 'master',
          change: { statusId: status.id, name, from: null, to: state, follows: null },
        },
      ]);
    });

    const STEPS = STATES.flatMap((from) => STATES.map((to) => [from, to] as const));
    const isRefused = (from: string, to: string) => from === 'running' && to === 'pending';

    it.each(STEPS.filter(([from]) => FINAL.has(from)))(
      'add after %s a new status %s',
      async (from, to) => {
        const name = unique();
        const first = await posted({ state: from, name });
        const second = await posted({ state: to, name });
        expect(second.id).toBeGreaterThan(first.id);
        expect(await rowsOf(name)).toEqual([{ status: from }, { status: to }]);
        expect(told[1]?.change).toMatchObject({ from: null, to, follows: from });
      },
    );

    it.each(STEPS.filter(([from, to]) => !FINAL.has(from) && !isRefused(from, to) && from !== to))(
      'move from %s to %s',
      async (from, to) => {
        const name = unique();
        const first = await posted({ state: from, name });
        const second = await posted({ state: to, name }, made.head, owner);
        expect(second).toMatchObject({ id: first.id, status: to, author: { id: owner.user.id } });
        expect(second.started_at).toEqual(
          from === 'running' ? first.started_at : to === 'running' ? TIMESTAMP : null,
        );
        expect(second.finished_at).toEqual(FINAL.has(to) ? TIMESTAMP : null);
        expect(await rowsOf(name)).toEqual([{ status: to }]);
        expect(told.map(({ change }) => [change.from, change.to])).toEqual([
          [null, from],
          [from, to],
        ]);
      },
    );

    it.each(['pending', 'running'])('stay %s without a notification', async (state) => {
      const name = unique();
      const first = await posted({ state, name, target_url: 'https://ci.example/a' });
      const second = await posted({ state, name, description: 'Half way' });
      expect(second).toEqual({ ...first, description: 'Half way' });
      expect(told).toHaveLength(1);
    });

    it('never return from running to pending', async () => {
      const name = unique();
      const first = await posted({ state: 'running', name });
      const back = await post({ state: 'pending', name, description: 'No' }, made.head, owner);
      expect([back.status, back.body]).toEqual([
        400,
        { message: 'Cannot transition status via :enqueue from :running' },
      ]);
      const rows = await trellis.rows(
        'SELECT description, author_id FROM commit_statuses WHERE id = $1',
        [first.id],
      );
      expect(rows).toEqual([{ description: null, author_id: developer.user.id }]);
      expect(told).toHaveLength(1);
    });

    it('publish the combined status before and after', async () => {
      const ref = unique();
      for (const [name, state] of [
        ['a', 'pending'],
        ['b', 'success'],
        ['a', 'success'],
        ['b', 'failed'],
      ]) {
        await posted({ ref, name, state });
      }
      expect(told.map(({ combined }) => [combined.from, combined.to])).toEqual([
        [null, 'pending'],
        ['pending', 'running'],
        ['running', 'success'],
        ['success', 'failed'],
      ]);
    });

    it('write nothing when a subscriber fails', async () => {
      const name = unique();
      await post({ state: 'success', name, ref: 'refused' }).expect(500);
      expect(await rowsOf(name)).toEqual([]);
    });
  });

  describe('posted concurrently', () => {
    it('create one status of a name while it is unfinished', async () => {
      const name = unique();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => posted({ state: 'pending', name })),
      );
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
      expect(await rowsOf(name)).toEqual([{ status: 'pending' }]);
      expect(told).toHaveLength(1);
    });

    it('end a status once, and lose none', async () => {
      const name = unique();
      const first = await posted({ state: 'running', name });
      const states = Array.from({ length: 15 }, (_, index) => STATES[2 + (index % 3)] as string);
      const answers = await Promise.all(states.map((state) => posted({ state, name })));
      expect(new Set(answers.map(({ id }) => id)).size).toBe(15);
      expect(answers.filter(({ id }) => id === first.id)).toHaveLength(1);
      expect((await rowsOf(name)).map(({ status }) => status).sort()).toEqual([...states].sort());
    });

    it('publish the combined status in the order of the changes', async () => {
      const ref = unique();
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          posted({
            ref,
            name: `job ${String(index)}`,
            state: index % 2 === 0 ? 'success' : 'pending',
          }),
        ),
      );
      const befores = told.slice(1).map(({ combined }) => combined.from);
      expect(befores).toEqual(told.slice(0, -1).map(({ combined }) => combined.to));
      expect(told.at(-1)?.combined.to).toBe('running');
    });
  });
});
