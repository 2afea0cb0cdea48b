import type { MadeProject, Person } from '../../support/factories.js';
import { issuesOf } from '../../support/issues.js';
import { newKey } from '../../support/public-keys.js';
import { untilWaitedFor } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';
import type { NumberedBody } from '../../support/v4-bodies.js';

const FAILED = { message: '412 Precondition Failed' };

describe('deletions of version 4 with If-Unmodified-Since', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;
  let issue: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    // Only administrators end fork relations.
    owner = await trellis.factories.user({ admin: true });
    project = await trellis.factories.project(owner);
    const made = await client().post(issuesOf(project), { title: 'An issue' }).expect(201);
    issue = `${issuesOf(project)}/${String((made.body as NumberedBody).iid)}`;
  });

  const client = () => trellis.as(owner).v4;
  const remove = (path: string, since: string) =>
    client().delete(path).set('If-Unmodified-Since', since);
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await client().post(path, body).expect(201);
    return `${path}/${String((answer.body as { id: number }).id)}`;
  };
  const at = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString();
  const newLabel = async (): Promise<string> => {
    const labels = `/projects/${String(project.id)}/labels`;
    return made(labels, { name: `label ${String(Date.now())}`, color: '#123456' });
  };

  const KINDS: Record<string, () => Promise<string>> = {
    'an SSH key': () => made('/user/keys', { title: 'A key', key: newKey() }),
    'an e-mail address': () =>
      made('/user/emails', { email: `${owner.user.username}@two.example` }),
    'a member of a project': async () => {
      const { user } = await trellis.factories.user();
      const path = `/projects/${String(project.id)}/members`;
      await client().post(path, { user_id: user.id, access_level: 20 }).expect(201);
      return `${path}/${String(user.id)}`;
    },
    'a member of a group': async () => {
      const group = await trellis.factories.group(owner);
      const member = await trellis.factories.user();
      await trellis.factories.addToGroup(group, member, 20);
      return `/groups/${String(group.id)}/members/${String(member.user.id)}`;
    },
    'a share': async () => {
      const group = await trellis.factories.group(owner);
      const path = `/projects/${String(project.id)}/share`;
      await client().post(path, { group_id: group.id, group_access: 20 }).expect(201);
      return `${path}/${String(group.id)}`;
    },
    'a fork relation': async () => {
      const fork = await trellis.factories.project(owner);
      const path = `/projects/${String(fork.id)}/fork`;
      await trellis.rows(
        `INSERT INTO fork_links (forked_to_project_id, forked_from_project_id) VALUES ($1, $2)`,
        [fork.id, project.id],
      );
      return path;
    },
    'a project': async () => `/projects/${String((await trellis.factories.project(owner)).id)}`,
    'a group': async () => `/groups/${String((await trellis.factories.group(owner)).id)}`,
    'a note': () => made(`${issue}/notes`, { body: 'A note' }),
    'a note of a discussion': async () => {
      const answer = await client().post(`${issue}/discussions`, { body: 'A thread' }).expect(201);
      const { id, notes } = answer.body as { id: string; notes: [{ id: number }] };
      return `${issue}/discussions/${id}/notes/${String(notes[0].id)}`;
    },
    'an award': () => made(`${issue}/award_emoji`, { name: 'rocket' }),
    'an award of a note': async () => {
      const note = await made(`${issue}/notes`, { body: 'A note' });
      return made(`${note}/award_emoji`, { name: 'rocket' });
    },
    'a label': newLabel,
  };

  for (const [kind, make] of Object.entries(KINDS)) {
    it(`keep ${kind} that is newer, and delete it otherwise`, async () => {
      const path = await make();
      const kept = await remove(path, at(-3_600)).expect(412);
      expect(kept.body).toEqual(FAILED);
      const removed = await remove(path, at(60));
      expect([202, 204]).toContain(removed.status);
      expect([304, 404]).toContain((await client().delete(path)).status);
    });
  }

  it('ignore what is no time', async () => {
    await remove(await newLabel(), 'yesterday').expect(204);
  });

  it('are refused to others before the time is compared', async () => {
    const label = await newLabel();
    const stranger = trellis.as(await trellis.factories.user()).v4;
    const refused = await stranger.delete(label).set('If-Unmodified-Since', at(-3_600));
    expect([403, 404]).toContain(refused.status);
    await remove(label, at(60)).expect(204);
  });

  it('see a change that was under way when they began', async () => {
    const label = await newLabel();
    const id = Number(label.split('/').at(-1));
    const change = trellis.dataSource.createQueryRunner();
    await change.startTransaction();
    await change.query(`UPDATE labels SET updated_at = now() + interval '1 hour' WHERE id = $1`, [
      id,
    ]);
    const ended = remove(label, at(60)).then(({ status }) => status);
    await untilWaitedFor(trellis, change);
    await change.commitTransaction();
    await change.release();
    expect(await ended).toBe(412);
  });
});
