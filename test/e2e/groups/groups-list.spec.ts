import { type MadeGroup, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface GroupBody {
  id: number;
}

describe('lists of groups', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });

  async function idsOf(person: Person, path: string): Promise<number[]> {
    const answer = await trellis.as(person).get(path).expect(200);
    return (answer.body as GroupBody[]).map(({ id }) => id);
  }

  /** Groups of one owner whose names and paths sort in opposite ways. */
  async function threeGroups(person: Person): Promise<MadeGroup[]> {
    const groups: MadeGroup[] = [];
    for (const [name, path] of [
      ['aa', 'zz'],
      ['bb', 'yy'],
      ['cc', 'xx'],
    ] as const) {
      const made = { name: `${name} ${unique()}`, path: `${path}-${unique()}` };
      groups.push(await trellis.factories.group(person, made));
    }
    return groups;
  }

  describe('GET /groups', () => {
    it('requires a credential and well-formed parameters', async () => {
      await trellis.anonymous.get('/groups').expect(401);
      const cases: [string, string][] = [
        ['all_available=perhaps', 'all_available is invalid'],
        ['skip_groups=one', 'skip_groups is invalid'],
        ['order_by=id', 'order_by does not have a valid value'],
        ['sort=up', 'sort does not have a valid value'],
        ['page=first', 'page is invalid'],
        ['per_page=many', 'per_page is invalid'],
        ['search[a]=b', 'search is invalid'],
        ['search=a%00b', 'search is invalid'],
      ];
      for (const [query, error] of cases) {
        const answer = await trellis.as(owner).get(`/groups?${query}`).expect(400);
        expect([query, answer.body]).toEqual([query, { error }]);
      }
    });

    it('returns every field of the list form', async () => {
      const member = await trellis.factories.user();
      const group = await trellis.factories.group(member, {
        name: `Name of ${unique()}`,
        path: `Path.${unique()}`,
        description: 'What it is for',
        visibilityLevel: 10,
      });
      const answer = await trellis.as(member).get('/groups').expect(200);
      expect(answer.body).toEqual([
        {
          id: group.id,
          name: group.name,
          path: group.path,
          description: 'What it is for',
          visibility_level: 10,
          lfs_enabled: true,
          avatar_url: null,
          web_url: `${trellis.url}/groups/${group.path}`,
          request_access_enabled: false,
        },
      ]);
    });

    it('lists the groups of the caller by name, at every level, until the membership expires', async () => {
      const member = await trellis.factories.user();
      const [first, second, third] = await threeGroups(owner);
      await trellis.factories.addToGroup(second!, member, 10);
      await trellis.factories.addToGroup(first!, member, 40);
      await trellis.factories.addToGroup(third!, member, 50, '2000-01-01');
      expect(await idsOf(member, '/groups')).toEqual([first!.id, second!.id]);
    });

    it('sorts by name or path in both directions', async () => {
      const member = await trellis.factories.user();
      const ids = (await threeGroups(member)).map(({ id }) => id);
      const backwards = [...ids].reverse();
      expect(await idsOf(member, '/groups?order_by=name&sort=asc')).toEqual(ids);
      expect(await idsOf(member, '/groups?sort=desc')).toEqual(backwards);
      expect(await idsOf(member, '/groups?order_by=path')).toEqual(backwards);
      expect(await idsOf(member, '/groups?order_by=path&sort=desc')).toEqual(ids);
    });

    it('excludes the given groups, in every spelling of a list', async () => {
      const member = await trellis.factories.user();
      const [first, second, third] = (await threeGroups(member)).map(({ id }) => id);
      const left = [second];
      for (const query of [
        `skip_groups=${String(first)},${String(third)}`,
        `skip_groups[]=${String(first)}&skip_groups[]=${String(third)}`,
        `skip_groups=${String(first)},${String(third)},99999999999`,
      ]) {
        expect(await idsOf(member, `/groups?${query}`)).toEqual(left);
      }
      expect(await idsOf(member, '/groups?skip_groups=')).toEqual([first, second, third]);
    });

    it('searches name and path literally and case-insensitively', async () => {
      const member = await trellis.factories.user();
      const mark = unique();
      const byName = await trellis.factories.group(member, { name: `The ${mark} group` });
      const byPath = await trellis.factories.group(member, {
        name: `A ${unique()}`,
        path: `x-${mark}-x`,
      });
      const plain = await trellis.factories.group(member, { name: `under_score ${unique()}` });
      await trellis.factories.group(owner, { name: `Other ${mark}` });
      expect(await idsOf(member, `/groups?search=${mark.toUpperCase()}`)).toEqual([
        byPath.id,
        byName.id,
      ]);
      expect(await idsOf(member, '/groups?search=R_S')).toEqual([plain.id]);
      for (const nothing of ['r%25s', "x' OR '1'='1", '%5C', 'r__s']) {
        expect(await idsOf(member, `/groups?search=${nothing}`)).toEqual([]);
      }
      expect(await idsOf(member, '/groups?search=')).toHaveLength(3);
    });

    it('is split into pages', async () => {
      const member = await trellis.factories.user();
      const ids = (await threeGroups(member)).map(({ id }) => id);
      const second = await trellis.as(member).get('/groups?page=2&per_page=2').expect(200);
      expect((second.body as GroupBody[]).map(({ id }) => id)).toEqual(ids.slice(2));
      expect(second.headers).toMatchObject({
        'x-total': '3',
        'x-total-pages': '2',
        'x-per-page': '2',
        'x-page': '2',
        'x-next-page': '',
        'x-prev-page': '1',
      });
      expect(await idsOf(member, '/groups?page=9')).toEqual([]);
    });

    it('excludes personal namespaces and deleted groups', async () => {
      const member = await trellis.factories.user();
      const group = await trellis.factories.group(member);
      await trellis.rows('UPDATE namespaces SET deleted_at = now() WHERE id = $1', [group.id]);
      expect(await idsOf(member, '/groups?all_available=true&per_page=100')).not.toContain(
        group.id,
      );
      expect(await idsOf(member, '/groups')).toEqual([]);
      expect(await idsOf(admin, `/groups?search=${member.user.username}`)).toEqual([]);
      expect(await idsOf(admin, `/groups?search=${group.path}`)).toEqual([]);
    });

    it('adds accessible groups with all_available', async () => {
      const mark = unique();
      const make = async (visibilityLevel: number) =>
        (await trellis.factories.group(owner, { name: `${mark} ${unique()}`, visibilityLevel })).id;
      const [hidden, internal, shown, withProject, withShared, throughShare] = [
        await make(0),
        await make(10),
        await make(20),
        await make(0),
        await make(0),
        await make(0),
      ];
      const stranger = await trellis.factories.user();
      const external = await trellis.factories.user({ external: true });
      const member = await trellis.factories.user();
      const inGroup = await trellis.factories.project(owner, { namespaceId: withProject });
      const elsewhere = await trellis.factories.project(owner);
      for (const { id } of [inGroup, elsewhere]) {
        await trellis.factories.addToProject({ id }, member, 10);
      }
      // The group that a project is shared with is not the one it is in.
      await trellis.factories.share(elsewhere, { id: withShared }, 30);
      const third = await trellis.factories.project(owner, { namespaceId: throughShare });
      await trellis.factories.share(third, await trellis.factories.group(member), 10);
      const path = `/groups?search=${mark}`;
      const available = async (person: Person) =>
        new Set(await idsOf(person, `${path}&all_available=1`));
      expect(await available(stranger)).toEqual(new Set([internal, shown]));
      expect(await available(external)).toEqual(new Set([shown]));
      expect(await available(member)).toEqual(
        new Set([internal, shown, withProject, throughShare]),
      );
      expect(await available(owner)).toEqual(
        new Set([hidden, internal, shown, withProject, withShared, throughShare]),
      );
      expect(await idsOf(member, path)).toEqual([]);
      expect(await idsOf(stranger, `${path}&all_available=false`)).toEqual([]);
      await trellis.rows('UPDATE projects SET deleted_at = now() WHERE id = $1', [inGroup.id]);
      expect(await available(member)).toEqual(new Set([internal, shown, throughShare]));
    });

    it('shows administrators every group', async () => {
      const group = await trellis.factories.group(owner, { visibilityLevel: 0 });
      expect(await idsOf(admin, `/groups?search=${group.path}`)).toEqual([group.id]);
    });

    it('takes the same number of statements for one group as for twenty', async () => {
      const member = await trellis.factories.user();
      await trellis.factories.group(member);
      const path = '/groups?all_available=true&per_page=100';
      const measure = () =>
        trellis.statements.during(() => trellis.as(member).get(path).expect(200));
      const few = await measure();
      for (let made = 0; made < 20; made += 1) await trellis.factories.group(member);
      const many = await measure();
      expect(many).toHaveLength(few.length);
      expect(many.length).toBeLessThanOrEqual(4);
    });
  });

  describe('GET /groups/owned', () => {
    it('requires a credential and well-formed pages', async () => {
      await trellis.anonymous.get('/groups/owned').expect(401);
      const answer = await trellis.as(owner).get('/groups/owned?page=x').expect(400);
      expect(answer.body).toEqual({ error: 'page is invalid' });
    });

    it('lists groups where the caller has level 50, by name, also for administrators', async () => {
      for (const person of [await trellis.factories.user(), await trellis.factories.admin()]) {
        const [first, second, third] = await threeGroups(owner);
        await trellis.factories.addToGroup(third!, person, 50);
        await trellis.factories.addToGroup(second!, person, 40);
        await trellis.factories.addToGroup(first!, person, 50);
        const gone = await trellis.factories.group(owner);
        await trellis.factories.addToGroup(gone, person, 50, '2000-01-01');
        expect(await idsOf(person, '/groups/owned')).toEqual([first!.id, third!.id]);
        const page = await trellis.as(person).get('/groups/owned?per_page=1&page=2').expect(200);
        expect(page.body).toEqual([
          {
            id: third!.id,
            name: third!.name,
            path: third!.path,
            description: '',
            visibility_level: 20,
            lfs_enabled: true,
            avatar_url: null,
            web_url: `${trellis.url}/groups/${third!.path}`,
            request_access_enabled: false,
          },
        ]);
        expect(page.headers).toMatchObject({ 'x-total': '2', 'x-page': '2' });
      }
    });
  });
});
