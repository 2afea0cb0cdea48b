import { type Cast, makeCast } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { Trellis } from '../../support/trellis.js';
import { NO_TIME_STATS } from '../../support/v4-bodies.js';

jest.setTimeout(120_000);

const HOUR = 3_600;

const stats = (
  estimate: number,
  human: string | null,
  spent: number,
  humanSpent: string | null,
) => ({
  time_estimate: estimate,
  total_time_spent: spent,
  human_time_estimate: human,
  human_total_time_spent: humanSpent,
});

describe.each([
  ['issues', 'reporter', 'guest'],
  ['merge_requests', 'developer', 'reporter'],
] as const)('the time of %s', (kind, least, tooLow) => {
  let trellis: Trellis;
  let cast: Cast;
  let project: MadeProject;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    project = cast.projects[0];
    owner = cast.people.owner as Person;
    const rows = Array.from({ length: 8 }, () => ({ authorId: owner.user.id }));
    for (const each of [project, cast.projects[20]]) await addMergeRequests(trellis, each, rows);
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  let used = 0;
  /** Returns the path of one without time. */
  const make = async (of = project): Promise<string> => {
    const all = `/projects/${String(of.id)}/${kind}`;
    used += 1;
    if (kind === 'merge_requests') return `${all}/${String(used)}`;
    const { body } = await v4(owner).post(all, { title: 'Takes time' }).expect(201);
    return `${all}/${String((body as { iid: number }).iid)}`;
  };
  const notesOf = async (path: string): Promise<string[]> => {
    const { body } = await v4(owner).get(`${path}/notes?sort=asc`).expect(200);
    return (body as { body: string }[]).map((note) => note.body);
  };

  it('is estimated, spent, and reset, with notes', async () => {
    const path = await make();
    const member = cast.people[least] as Person;
    const read = async () =>
      (await v4(member).get(`${path}/time_stats`).expect(200)).body as object;
    const post = async (action: string, status: number, body: object = {}) =>
      (await v4(member).post(`${path}/${action}`, body).expect(status)).body as object;
    expect(await read()).toEqual(NO_TIME_STATS);
    expect(await post('time_estimate', 200, { duration: '1w 2d' })).toEqual(
      stats(56 * HOUR, '1w 2d', 0, null),
    );
    expect(await post('add_spent_time', 201, { duration: '2h' })).toEqual(
      stats(56 * HOUR, '1w 2d', 2 * HOUR, '2h'),
    );
    expect(await post('add_spent_time', 201, { duration: '-30m' })).toEqual(
      stats(56 * HOUR, '1w 2d', 1.5 * HOUR, '1h 30m'),
    );
    expect(await read()).toEqual(stats(56 * HOUR, '1w 2d', 1.5 * HOUR, '1h 30m'));
    const { body } = await v4(owner).get(path).expect(200);
    expect(body).toMatchObject({ time_stats: await read() });
    await post('time_estimate', 200, { duration: '1w 2d' });
    expect(await post('reset_time_estimate', 200)).toEqual(stats(0, null, 1.5 * HOUR, '1h 30m'));
    expect(await post('reset_spent_time', 200)).toEqual(NO_TIME_STATS);
    await post('reset_spent_time', 200);
    expect(await notesOf(path)).toEqual([
      'changed time estimate to 1w 2d',
      'added 2h of time spent',
      'subtracted 30m of time spent',
      'removed time estimate',
      'removed time spent',
    ]);
  });

  it('is refused where it is no duration, and beyond its bounds', async () => {
    const path = await make();
    for (const [action, duration] of [
      ['time_estimate', 'asdf'],
      ['time_estimate', '-1h'],
      ['time_estimate', ''],
      ['add_spent_time', 'one hour'],
      ['add_spent_time', '2147483648s'],
    ] as const) {
      await v4(owner)
        .post(`${path}/${action}`, { duration })
        .expect(400, { error: 'duration is invalid' });
    }
    await v4(owner).post(`${path}/add_spent_time`).expect(400, { error: 'duration is missing' });
    await v4(owner).post(`${path}/add_spent_time`, { duration: '1h' }).expect(201);
    await v4(owner)
      .post(`${path}/add_spent_time`, { duration: '-2h' })
      .expect(400, { message: { base: ['Time to subtract exceeds the total time spent'] } });
    await v4(owner)
      .post(`${path}/add_spent_time`, { duration: '2147483647s' })
      .expect(400, { message: { base: ['Total time spent is too long'] } });
    expect((await v4(owner).get(`${path}/time_stats`).expect(200)).body).toMatchObject({
      total_time_spent: HOUR,
    });
  });

  it(`is changed from ${least} on`, async () => {
    const path = await make();
    const body = { duration: '1h' };
    for (const action of [
      ...(['time_estimate', 'reset_time_estimate', 'add_spent_time', 'reset_spent_time'] as const),
    ]) {
      await trellis.anonymous.v4.post(`${path}/${action}`, body).expect(401);
      await v4(cast.people.stranger as Person)
        .post(`${path}/${action}`, body)
        .expect(404);
      await v4(cast.people[tooLow] as Person)
        .post(`${path}/${action}`, body)
        .expect(403);
      await v4(owner)
        .post(`/projects/${String(project.id)}/${kind}/999999/${action}`, body)
        .expect(404);
    }
    await v4(cast.people.stranger as Person)
      .get(`${path}/time_stats`)
      .expect(404);
    const open = await make(cast.projects[20]);
    await trellis.anonymous.v4.get(`${open}/time_stats`).expect(200);
  });

  it('adds up what is spent at once', async () => {
    const path = await make();
    const spend = () => v4(owner).post(`${path}/add_spent_time`, { duration: '1h' }).expect(201);
    await Promise.all(Array.from({ length: 8 }, spend));
    expect((await v4(owner).get(`${path}/time_stats`).expect(200)).body).toMatchObject({
      total_time_spent: 8 * HOUR,
    });
  });

  if (kind === 'issues') {
    it('moves with an issue, and is hidden with a confidential one', async () => {
      const path = await make();
      await v4(owner).post(`${path}/add_spent_time`, { duration: '1h' }).expect(201);
      await v4(owner).post(`${path}/time_estimate`, { duration: '2h' }).expect(200);
      await v4(owner).put(path, { confidential: true }).expect(200);
      await v4(cast.people.guest as Person)
        .get(`${path}/time_stats`)
        .expect(404);
      const other = await trellis.factories.project(owner);
      const moved = await v4(owner).post(`${path}/move`, { to_project_id: other.id }).expect(201);
      expect(moved.body).toMatchObject({ time_stats: stats(2 * HOUR, '2h', HOUR, '1h') });
    });
  }
});
