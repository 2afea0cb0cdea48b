/** @operation */
import { existsSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '../../../src/bootstrap/migrate.js';
import type { Client } from '../../support/client.js';
import { Receiver } from '../../support/receiver.js';
import { RELEASES, restoreRelease, type ReleaseData } from '../../support/release-data.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';
import { eventually } from '../../unit/queue/support/eventually.js';

jest.setTimeout(180_000);

/** For jobs on a busy machine. */
const PATIENCE_MS = 60_000;
/** Of the administrator, as `test/crash/service.mjs` sets it. */
const TOKEN = 'token-of-the-crash-rounds';
const BASE = '/projects/crew%2Fengine';

interface Counted {
  id: number;
  user_notes_count: number;
  upvotes: number;
  downvotes: number;
}

async function query(data: ReleaseData, sql: string, parameters: unknown[] = []): Promise<unknown> {
  const client = new pg.Client({ connectionString: data.database.url });
  await client.connect();
  try {
    return (await client.query(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}

describe.each(RELEASES)('an instance of %s after the upgrade', (version) => {
  let trellis: Trellis;
  let receiver: Receiver;
  let client: Client;
  let pending: unknown;

  beforeAll(async () => {
    receiver = await Receiver.start();
    const data = await restoreRelease(version);
    await query(data, 'UPDATE hooks SET url = $1', [`${receiver.url}/hook`]);
    pending = await query(data, 'SELECT DISTINCT name FROM outbox ORDER BY name');
    await migrate(data.database.url);
    trellis = await Trellis.start({
      because: 'data of another instance',
      runsJobs: true,
      env: { WEBHOOK_ALLOW_LOCAL: 'true' },
      data,
    });
    client = trellis.as({ token: TOKEN });
  });

  afterAll(async () => {
    await trellis.stop();
    await receiver.stop();
  });

  async function read<Body>(route: string): Promise<Body> {
    return (await client.get(route).expect(200)).body as Body;
  }

  const find = async (title: string, kind = 'issues'): Promise<Counted> => {
    const all = await read<(Counted & { title: string })[]>(`${BASE}/${kind}`);
    const found = all.find((each) => each.title === title);
    if (found === undefined) throw new Error(`There is no ${title}`);
    return found;
  };

  it('keeps all existing data', async () => {
    expect(await find('Issue 1')).toMatchObject({
      user_notes_count: 3,
      upvotes: 2,
      downvotes: 1,
      labels: ['bug'],
      milestone: { title: '1.0' },
    });
    expect(await find('Merge feature', 'merge_requests')).toMatchObject({
      state: 'opened',
      user_notes_count: 2,
      upvotes: 1,
      downvotes: 0,
    });
    expect(await find('Merge done', 'merge_requests')).toMatchObject({ state: 'merged' });
    const branches = await read<{ name: string }[]>(`${BASE}/repository/branches`);
    expect(branches.map(({ name }) => name)).toEqual(['done', 'feature', 'master']);
  });

  it('runs the pending jobs', async () => {
    expect(pending).toEqual(
      expect.arrayContaining(
        ['deliver', 'check-mergeability', 'mention-commits', 'purge-project'].map((name) => ({
          name,
        })),
      ),
    );
    await trellis.rows('UPDATE outbox SET run_at = now() WHERE enqueued_at IS NULL');
    await eventually(async () => {
      expect(await trellis.rows('SELECT name, error FROM outbox')).toEqual([]);
    }, PATIENCE_MS);
    const events = receiver.deliveries.map(({ headers }) => headers['x-gitlab-event']);
    expect(events).toEqual(expect.arrayContaining(['Issue Hook', 'Push Hook']));
    for (const { headers } of receiver.deliveries) {
      expect(headers['x-gitlab-token']).toBe('the token of the hook');
    }
    expect(await find('Issue 2')).toMatchObject({ state: 'closed' });
    const { id } = await find('Merge feature', 'merge_requests');
    const commits = await read<unknown[]>(`${BASE}/merge_requests/${String(id)}/commits`);
    expect(commits).toHaveLength(2);
    expect(await trellis.rows(`SELECT id FROM projects WHERE path = 'mill'`)).toEqual([]);
    expect(existsSync(path.join(trellis.dataDir, 'repositories/@hashed/d4/73/2.git'))).toBe(false);
  });

  it('counts new data together with existing data', async () => {
    const { id } = await find('Issue 1');
    const issue = `${BASE}/issues/${String(id)}`;
    await client.post(`${issue}/notes`, { body: 'After the upgrade' }).expect(200);
    const votes = await read<{ id: number; name: string }[]>(`${issue}/award_emoji`);
    const down = votes.find(({ name }) => name === 'thumbsdown');
    await client.delete(`${issue}/award_emoji/${String(down?.id)}`).expect(200);
    expect(await find('Issue 1')).toMatchObject({ user_notes_count: 4, upvotes: 2, downvotes: 0 });
    const lists = await Promise.all(
      ['opened', 'closed'].map((state) => client.get(`${BASE}/issues?state=${state}`)),
    );
    expect(lists.map(({ headers }) => headers['x-total'])).toEqual(['4', '3']);
    await client.put(issue, { state_event: 'close' }).expect(200);
    const { headers } = await client.get(`${BASE}/issues?state=closed`);
    expect(headers['x-total']).toBe('4');
  });

  it('accepts pushes to its repositories, and merges', async () => {
    const remote = new URL(`${trellis.url}/crew/engine.git`);
    Object.assign(remote, { username: 'root', password: TOKEN });
    const folder = path.join(trellis.dataDir, 'clone');
    await git(['clone', '--quiet', remote.href, folder]);
    await git(['commit', '--quiet', '--allow-empty', '--message', 'More'], { cwd: folder });
    await git(['push', '--quiet', 'origin', 'master'], { cwd: folder });
    const { id } = await find('Merge feature', 'merge_requests');
    await client.put(`${BASE}/merge_requests/${String(id)}/merge`).expect(200);
    expect(await find('Merge feature', 'merge_requests')).toMatchObject({ state: 'merged' });
  });
});
