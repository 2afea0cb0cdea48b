import { type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface NamespaceBody {
  id: number;
}

describe('GET /namespaces', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user();
  });

  async function personalOf(person: Person): Promise<number> {
    const [row] = await trellis.rows<{ id: number }>(
      'SELECT id FROM namespaces WHERE owner_id = $1',
      [person.user.id],
    );
    return row!.id;
  }

  async function idsOf(person: Person, query = ''): Promise<number[]> {
    const answer = await trellis.as(person).get(`/namespaces${query}`).expect(200);
    return (answer.body as NamespaceBody[]).map(({ id }) => id);
  }

  it('requires a credential and well-formed parameters', async () => {
    await trellis.anonymous.get('/namespaces').expect(401);
    const cases: [string, string][] = [
      ['page=x', 'page is invalid'],
      ['search[]=x&search[]=y', 'search is invalid'],
      ['search=a%00b', 'search is invalid'],
    ];
    for (const [query, error] of cases) {
      const answer = await trellis.as(owner).get(`/namespaces?${query}`).expect(400);
      expect([query, answer.body]).toEqual([query, { error }]);
    }
  });

  it("lists the caller's own and those of their groups, newest first, with every field", async () => {
    const member = await trellis.factories.user();
    const group = await trellis.factories.group(owner, { name: `Name of ${unique()}` });
    await trellis.factories.addToGroup(group, member, 10);
    const expired = await trellis.factories.group(owner);
    await trellis.factories.addToGroup(expired, member, 50, '2000-01-01');
    const answer = await trellis.as(member).get('/namespaces').expect(200);
    const { username } = member.user;
    expect(answer.body).toEqual([
      { id: group.id, path: group.path, kind: 'group', name: group.name },
      { id: await personalOf(member), path: username, kind: 'user', name: username },
    ]);
  });

  it('shows administrators all of them', async () => {
    const group = await trellis.factories.group(owner, { visibilityLevel: 0 });
    const ids = await idsOf(admin, '?per_page=100');
    expect(ids).toEqual(expect.arrayContaining([group.id, await personalOf(owner)]));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  it('searches name and path literally and case-insensitively', async () => {
    const member = await trellis.factories.user();
    const mark = unique();
    const byName = await trellis.factories.group(member, { name: `The ${mark} group` });
    const byPath = await trellis.factories.group(member, { path: `x-${mark}` });
    expect(await idsOf(member, `?search=${mark.toUpperCase()}`)).toEqual([byPath.id, byName.id]);
    expect(await idsOf(member, `?search=${member.user.username}`)).toEqual([
      await personalOf(member),
    ]);
    expect(await idsOf(member, `?search=${owner.user.username}`)).toEqual([]);
    for (const nothing of ['%25', '_____', "' OR true --", '%5C']) {
      expect(await idsOf(member, `?search=${nothing}`)).toEqual([]);
    }
  });

  it('excludes deleted namespaces', async () => {
    const member = await trellis.factories.user();
    const group = await trellis.factories.group(member);
    await trellis.rows('UPDATE namespaces SET deleted_at = now() WHERE id = $1', [group.id]);
    expect(await idsOf(member)).toEqual([await personalOf(member)]);
    expect(await idsOf(admin, `?search=${group.path}`)).toEqual([]);
  });

  it('is split into pages, with the same number of statements for few as for many', async () => {
    const member = await trellis.factories.user();
    const measure = () =>
      trellis.statements.during(() => trellis.as(member).get('/namespaces').expect(200));
    const few = await measure();
    const groups = [];
    for (let made = 0; made < 20; made += 1) groups.unshift(await trellis.factories.group(member));
    const many = await measure();
    expect(many).toHaveLength(few.length);
    expect(many.length).toBeLessThanOrEqual(4);
    const page = await trellis.as(member).get('/namespaces?page=2&per_page=5').expect(200);
    expect((page.body as NamespaceBody[]).map(({ id }) => id)).toEqual(
      groups.slice(5, 10).map(({ id }) => id),
    );
    expect(page.headers).toMatchObject({ 'x-total': '21', 'x-total-pages': '5', 'x-page': '2' });
  });
});
