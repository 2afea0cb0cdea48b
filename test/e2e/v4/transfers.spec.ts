import { type MadeGroup, type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const message = (text: string) => ({ message: text });
const refused = (text: string) =>
  message(`Failed to transfer project ${JSON.stringify({ new_namespace: [text] })}`);

describe('transfers of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let master: Person;
  let stranger: Person;
  let group: MadeGroup;
  let project: MadeProject;

  beforeEach(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user();
    master = await factories.user();
    stranger = await factories.user();
    group = await factories.group(owner, { visibilityLevel: 10 });
    project = await factories.project(owner, { visibilityLevel: 20 });
    await factories.addToProject(project, master, 40);
  });

  const path = () => `/projects/${String(project.id)}/transfer`;
  const transfer = (person: Person, namespace: string | number) =>
    trellis.as(person).v4.put(path(), { namespace });

  it('move a project into a group by ID or path, and back, with less visibility', async () => {
    const moved = await transfer(owner, group.id).expect(200);
    expect(moved.body).toMatchObject({
      id: project.id,
      path_with_namespace: `${group.path}/${project.path}`,
      visibility: 'internal',
    });
    const own = await transfer(owner, owner.user.username).expect(200);
    expect(own.body).toMatchObject({ namespace: { kind: 'user' }, visibility: 'internal' });
    await transfer(owner, group.path).expect(200);
    const records = await trellis.rows<{ group_id: number | null }>(
      `SELECT group_id FROM audit_events
        WHERE action = 'project.transferred' AND target_id = $1 ORDER BY id`,
      [project.id],
    );
    expect(records.map(({ group_id }) => group_id)).toEqual([group.id, null, group.id]);
  });

  it('are for owners, who need level 40 in the group', async () => {
    await trellis.factories.addToGroup(group, master, 50);
    await transfer(master, group.id).expect(403);
    await transfer(stranger, group.id).expect(403);
    await trellis.anonymous.v4.put(path(), { namespace: group.id }).expect(401);
    const other = await trellis.factories.group(stranger, { visibilityLevel: 20 });
    const denied = "You don't have permission to transfer projects into that namespace.";
    for (const level of [null, 30]) {
      if (level !== null) await trellis.factories.addToGroup(other, owner, level);
      expect((await transfer(owner, other.id).expect(400)).body).toEqual(refused(denied));
    }
    await trellis.rows('UPDATE group_members SET access_level = 40 WHERE group_id = $1', [
      other.id,
    ]);
    await transfer(owner, other.id).expect(200);
  });

  it('refuse unknown and hidden namespaces, the same one, taken paths and full ones', async () => {
    const hidden = await trellis.factories.group(stranger, { visibilityLevel: 0 });
    const unknown = message('404 Namespace Not Found');
    for (const namespace of [hidden.id, hidden.path, stranger.user.username, 999_999, unique()]) {
      expect((await transfer(owner, namespace).expect(404)).body).toEqual(unknown);
    }
    const same = await transfer(owner, owner.user.username).expect(400);
    expect(same.body).toEqual(refused('is invalid'));
    await trellis.as(owner).v4.put(path(), {}).expect(400);
    const namespaceId = group.id;
    const there = await trellis.factories.project(owner, { namespaceId });
    await trellis.rows('UPDATE projects SET path = $2 WHERE id = $1', [there.id, project.path]);
    const taken = 'Project with same path in target namespace already exists';
    expect((await transfer(owner, group.id).expect(400)).body).toEqual(refused(taken));
    await trellis.rows('UPDATE users SET projects_limit = 0 WHERE id = $1', [owner.user.id]);
    project = there;
    await trellis.rows('UPDATE projects SET path = $2 WHERE id = $1', [there.id, unique()]);
    const full = await transfer(owner, owner.user.username).expect(403);
    expect(JSON.stringify(full.body)).toContain('Personal project creation is not allowed');
  });

  it('list the groups that the caller may transfer into, by name', async () => {
    const { factories } = trellis;
    const mine = await factories.group(owner, { name: `a-${unique()}` });
    const developing = await factories.group(stranger);
    await factories.addToGroup(developing, owner, 30);
    const list = `/projects/${String(project.id)}/transfer_locations`;
    const { body } = await trellis.as(owner).v4.get(list).expect(200);
    expect((body as { id: number }[]).map(({ id }) => id)).toContain(mine.id);
    expect((body as { id: number }[]).map(({ id }) => id)).not.toContain(developing.id);
    const found = await trellis.as(owner).v4.get(`${list}?search=${mine.path}`).expect(200);
    expect(found.body).toEqual([
      {
        id: mine.id,
        web_url: `${trellis.url}/groups/${mine.path}`,
        name: expect.stringContaining('a-') as string,
        avatar_url: null,
        full_name: expect.stringContaining('a-') as string,
        full_path: mine.path,
      },
    ]);
    await transfer(owner, mine.id).expect(200);
    const left = await trellis.as(owner).v4.get(`${list}?search=${mine.path}`).expect(200);
    expect(left.body).toEqual([]);
    await trellis.as(master).v4.get(list).expect(403);
    await trellis.anonymous.v4.get(list).expect(401);
  });
});
