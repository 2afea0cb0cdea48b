import { type IssueBody, issuesOf } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('lists of issues over several projects', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.shared();
  });

  it('leave out projects that are unreadable, deleted or without issues', async () => {
    const { factories } = trellis;
    const [member, master] = [await factories.user(), await factories.user()];
    const place = await factories.group(master, { visibilityLevel: 0 });
    const open = await factories.project(master, { namespaceId: place.id });
    const shut = await factories.project(master, { namespaceId: place.id });
    await factories.addToGroup(place, member, 10);
    for (const project of [open, shut]) {
      await trellis.as(member).post(issuesOf(project), { title: 'Mine' }).expect(200);
    }
    const lists = ['/issues', `/groups/${String(place.id)}/issues`];
    const lengths = async () =>
      Promise.all(
        lists.map(
          async (path) => (await trellis.as(member).get(path)).headers['x-total'] as string,
        ),
      );
    expect(await lengths()).toEqual(['2', '2']);
    const path = `/projects/${String(shut.id)}`;
    await trellis.as(master).put(path, { issues_enabled: false }).expect(200);
    expect(await lengths()).toEqual(['1', '1']);
    await trellis.as(master).put(path, { issues_enabled: true }).expect(200);
    await trellis.as(master).delete(path).expect(200);
    expect(await lengths()).toEqual(['1', '1']);
    await trellis.rows('DELETE FROM group_members WHERE user_id = $1', [member.user.id]);
    expect((await trellis.as(member).get('/issues').expect(200)).body).toEqual([]);
    await trellis.as(member).get(lists[1]!).expect(404);
  });

  it('show a group’s confidential issues by the access level on each project', async () => {
    const { factories } = trellis;
    const [master, guest] = [await factories.user(), await factories.user()];
    const place = await factories.group(master);
    const [first, second] = [
      await factories.project(master, { namespaceId: place.id, visibilityLevel: 20 }),
      await factories.project(master, { namespaceId: place.id, visibilityLevel: 20 }),
    ];
    await factories.addToProject(first, guest, 20);
    await factories.addToProject(second, guest, 10);
    for (const project of [first, second]) {
      const secret = { title: 'Secret', confidential: true };
      await trellis.as(master).post(issuesOf(project), secret).expect(200);
    }
    const path = `/groups/${String(place.id)}/issues`;
    const { body } = await trellis.as(guest).get(path).expect(200);
    expect((body as IssueBody[]).map(({ project_id }) => project_id)).toEqual([first.id]);
    const admin = await factories.admin();
    expect((await trellis.as(admin).get(path).expect(200)).body).toHaveLength(2);
  });
});
