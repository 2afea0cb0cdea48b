import {
  AccountErasure,
  type ErasureStep,
  UsersService,
} from '../../../src/modules/users/index.js';
import { eraseAtOnce } from '../../support/erasure.js';
import type { Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';
import { eventually } from '../../unit/queue/support/eventually.js';

jest.setTimeout(180_000);

/** For what several jobs have to get round to on a busy machine. */
const PATIENCE_MS = 90_000;

interface UserBody {
  id: number;
}

const pathOf = ({ user }: Person) => `/users/${String(user.id)}`;

describe('Erasing a deleted account', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;

  const isErased = async (who: Person) =>
    (await trellis.rows('SELECT 1 FROM users WHERE id = $1', [who.user.id])).length === 0;

  const ghostId = async () =>
    (await trellis.rows<UserBody>('SELECT id FROM users WHERE ghost'))[0]?.id;

  /** Events in a project, more than one chunk of them, most of them pushes that 0.2.0 records. */
  async function actIn(project: { id: number }, who: Person): Promise<void> {
    await trellis.rows(
      `INSERT INTO events (project_id, author_id, action, data)
       SELECT $1, $2::int, 'pushed to', CASE WHEN n > 1 THEN
                jsonb_build_object('ref', 'refs/heads/master', 'user_id', $2::int, 'user_name', 'Gone') END
         FROM generate_series(1, 2100) AS n`,
      [project.id, who.user.id],
    );
  }

  const authorsOf = (project: { id: number }) =>
    trellis.rows(
      `SELECT author_id, data, count(*)::int AS count FROM events
        WHERE project_id = $1 AND action = 'pushed to' GROUP BY 1, 2 ORDER BY 3`,
      [project.id],
    );

  const handedOver = async () => [
    { author_id: await ghostId(), data: null, count: 1 },
    {
      author_id: await ghostId(),
      data: { ref: 'refs/heads/master' },
      count: 2099,
    },
  ];

  async function start(runsJobs: boolean): Promise<void> {
    trellis = await Trellis.shared({ runsJobs });
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user();
  }
  afterEach(() => trellis.restore());

  it('keeps its content elsewhere under the ghost user and removes the rest', async () => {
    await start(true);
    eraseAtOnce(trellis);
    const gone = await trellis.factories.user();
    const group = await trellis.factories.group(owner);
    const theirs = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const own = await trellis.factories.project(gone, { visibilityLevel: 20 });
    await actIn(theirs, gone);
    const { id } = gone.user;
    await trellis.rows('UPDATE projects SET creator_id = $2 WHERE id = $1', [theirs.id, id]);
    await trellis.factories.addToGroup(group, gone, 30);
    await trellis.rows(
      'INSERT INTO project_members (project_id, user_id, access_level) VALUES ($1, $2, 30)',
      [theirs.id, id],
    );
    await trellis
      .as(gone)
      .post(`/projects/${String(theirs.id)}/star`)
      .expect(200);
    await trellis.as(admin).delete(pathOf(gone)).expect(200);
    await eventually(async () => {
      expect(await isErased(gone)).toBe(true);
    }, PATIENCE_MS);
    expect(await authorsOf(theirs)).toEqual(await handedOver());
    expect(
      await trellis.rows('SELECT creator_id, star_count FROM projects WHERE id = $1', [theirs.id]),
    ).toEqual([{ creator_id: await ghostId(), star_count: 0 }]);
    for (const table of ['project_members', 'group_members', 'project_stars']) {
      expect(await trellis.rows(`SELECT 1 FROM ${table} WHERE user_id = $1`, [id])).toEqual([]);
    }
    expect(await trellis.rows('SELECT 1 FROM projects WHERE id = $1', [own.id])).toEqual([]);
    expect(await trellis.rows('SELECT 1 FROM namespaces WHERE owner_id = $1', [id])).toEqual([]);
  });

  it('continues after an interruption, and can be repeated', async () => {
    await start(false);
    const gone = await trellis.factories.user();
    const theirs = await trellis.factories.project(owner);
    await actIn(theirs, gone);
    await trellis.as(admin).delete(pathOf(gone)).expect(200);
    expect(trellis.app.get(UsersService).erasureDelayMs).toBe(10_000);
    const { id: userId } = gone.user;
    const waiting = `SELECT 1 FROM outbox WHERE name = 'erase-account' AND run_at > now()
                       AND payload ->> 'userId' = $1`;
    expect(await trellis.rows(waiting, [userId])).toHaveLength(1);
    const run = (signal: AbortSignal) =>
      trellis.app.get(AccountErasure).handle({ userId }, { jobId: '1', attempt: 1, signal });
    const never = new AbortController().signal;
    const notYet = 'Other rows still refer to the deleted account';
    const interrupted = new AbortController();
    // The last step stops the job before the row goes, as the end of the process would.
    const last = trellis.app.get(AccountErasure).steps.at(-1) as ErasureStep;
    const { run: runLast } = last;
    jest.spyOn(last, 'run').mockImplementationOnce(async (...ids) => {
      await runLast(...ids);
      interrupted.abort();
      return true;
    });
    await expect(run(interrupted.signal)).rejects.toThrow('aborted');
    expect(await authorsOf(theirs)).toEqual(await handedOver());
    await expect(run(never)).rejects.toThrow(notYet);
    await trellis.rows('DELETE FROM namespaces WHERE owner_id = $1', [userId]);
    await trellis.rows(
      `INSERT INTO push_intents (project_id, user_id, updates, host) VALUES ($1, $2, '[]', 'here')`,
      [theirs.id, userId],
    );
    await expect(run(never)).rejects.toThrow(notYet);
    expect(await isErased(gone)).toBe(false);
    // What a push records that was under way when the account went.
    await trellis.rows('DELETE FROM push_intents');
    await actIn(theirs, gone);
    await run(never);
    expect(await isErased(gone)).toBe(true);
    expect(await trellis.rows('SELECT 1 FROM events WHERE author_id = $1', [userId])).toEqual([]);
    await run(never);
  });
});
