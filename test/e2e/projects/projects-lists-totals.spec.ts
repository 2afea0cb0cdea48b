import { type MadeGroup, type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

const RELATIONS = ['personal', 'ownedGroup', 'guestGroup', 'direct', 'shared', 'foreign'] as const;
const LEVELS = { private: 0, internal: 10, public: 20 } as const;
type Visibility = keyof typeof LEVELS;

/** A project by what lists select it for. */
interface Listed {
  id: number;
  name: string;
  relation: (typeof RELATIONS)[number];
  visibility: Visibility;
  archived: boolean;
  starred: boolean;
}

interface Filters {
  archived?: boolean;
  visibility?: Visibility;
  search?: string;
}

const TODAY = new Date().toISOString().slice(0, 10);
const PER_PAGE = 4;

describe('Totals of lists of projects', () => {
  let trellis: Trellis;
  let admin: Person;
  let caller: Person;
  let ownedGroup: MadeGroup;
  let projects: Listed[];

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    const { factories } = trellis;
    admin = await factories.admin();
    caller = await factories.user({ projectsLimit: 1000 });
    const owner = await factories.user({ projectsLimit: 1000 });
    ownedGroup = await factories.group(caller);
    const guestGroup = await factories.group(owner, { name: `Needle ${unique()}` });
    await factories.addToGroup(guestGroup, caller, 10);
    const models = {
      personal: await factories.project(caller),
      ownedGroup: await factories.project(caller, { namespaceId: ownedGroup.id }),
      guestGroup: await factories.project(owner, { namespaceId: guestGroup.id }),
      direct: await factories.project(owner),
      shared: await factories.project(owner),
      foreign: await factories.project(owner),
    };
    projects = [];
    for (const relation of RELATIONS) projects.push(...(await copies(relation, models[relation])));
    for (const { id, relation } of projects) {
      // What several ways lead to is listed and counted once.
      if (relation === 'direct' || relation === 'ownedGroup') {
        await factories.addToProject({ id }, caller, 20);
      }
      if (relation === 'shared' || relation === 'direct') {
        await factories.share({ id }, guestGroup, 30);
      }
      if (relation === 'foreign') await factories.addToProject({ id }, caller, 40, TODAY);
    }
    await trellis.rows(
      'INSERT INTO project_stars (project_id, user_id) SELECT unnest($1::int[]), $2',
      [projects.filter(({ starred }) => starred).map(({ id }) => id), caller.user.id],
    );
    await trellis.rows('UPDATE projects SET deleted_at = now() WHERE id = ANY($1::int[])', [
      Object.values(models).map(({ id }) => id),
    ]);
  });
  afterAll(() => trellis.stop());

  /** Makes projects in the namespace of another one: of each visibility, archived and not. */
  async function copies(relation: Listed['relation'], model: MadeProject): Promise<Listed[]> {
    const made: Listed[] = [];
    for (const [visibility, level] of Object.entries(LEVELS)) {
      for (const archived of [false, true]) {
        const name = `${made.length % 3 === 0 ? 'needle' : 'hay'}-${unique()}`;
        const rows = await trellis.rows(
          `INSERT INTO projects (namespace_id, creator_id, name, path, visibility_level, archived,
                                 runners_token_sealed)
           SELECT namespace_id, creator_id, $2::text, $2::text, $3, $4, runners_token_sealed
             FROM projects WHERE id = $1
           RETURNING id`,
          [model.id, name, level, archived],
        );
        const { id } = rows[0] as { id: number };
        const starred = made.length % 2 === 0;
        made.push({ id, name, relation, visibility: visibility as Visibility, archived, starred });
      }
    }
    return made;
  }

  const isMember = ({ relation }: Listed) => relation !== 'foreign';
  const isVisible = (project: Listed) => isMember(project) || project.visibility !== 'private';
  const LISTS: Record<string, (project: Listed) => boolean> = {
    '/projects': isMember,
    '/projects/visible': isVisible,
    '/projects/owned': ({ relation }) => relation === 'personal' || relation === 'ownedGroup',
    '/projects/starred': (project) => project.starred && isVisible(project),
  };

  function matches(project: Listed, { archived = false, visibility, search }: Filters): boolean {
    // The name of a namespace is searched as well.
    const texts = [project.name, ...(project.relation === 'guestGroup' ? ['needle'] : [])];
    return (
      project.archived === archived &&
      (visibility === undefined || project.visibility === visibility) &&
      (search === undefined || texts.some((text) => text.includes(search)))
    );
  }

  /** Reads a list page by page and returns its IDs. Every page has to have the total. */
  async function readAll(person: Person, path: string, query: string, total: number) {
    const ids: number[] = [];
    const pages = Math.ceil(total / PER_PAGE);
    for (let page = 1; page <= pages + 1; page += 1) {
      const answer = await trellis
        .as(person)
        .get(`${path}?per_page=${String(PER_PAGE)}&page=${String(page)}&${query}`)
        .expect(200);
      expect([path, query, answer.headers]).toEqual([
        path,
        query,
        expect.objectContaining({
          'x-total': String(total),
          'x-total-pages': String(pages),
          'x-next-page': page < pages ? String(page + 1) : '',
        }),
      ]);
      ids.push(...(answer.body as { id: number }[]).map(({ id }) => id));
    }
    return ids;
  }

  const queries: [string, Filters][] = [undefined, false, true].flatMap((archived) =>
    [undefined, ...(Object.keys(LEVELS) as Visibility[])].flatMap((visibility) =>
      [undefined, 'needle', 'absent'].map((search): [string, Filters] => {
        const filters = { archived, visibility, search };
        const given = Object.entries(filters).filter(([, value]) => value !== undefined);
        const query = given.map(([name, value]) => `${name}=${String(value)}`).join('&');
        return [query, Object.fromEntries(given)];
      }),
    ),
  );

  const newestFirst = (listed: Listed[]) => listed.map(({ id }) => id).sort((a, b) => b - a);

  it.each(Object.keys(LISTS))('match the list for %s under every filter', async (path) => {
    const isListed = LISTS[path] as (project: Listed) => boolean;
    for (const [query, filters] of queries) {
      const expected = newestFirst(
        projects.filter((project) => isListed(project) && matches(project, filters)),
      );
      const listed = await readAll(caller, path, `order_by=id&${query}`, expected.length);
      expect([query, listed]).toEqual([query, expected]);
    }
  });

  it('match the list for a group and for all projects under every filter', async () => {
    for (const [query, filters] of queries) {
      const matching = projects.filter((project) => matches(project, filters));
      const ofGroup = newestFirst(matching.filter(({ relation }) => relation === 'ownedGroup'));
      const path = `/groups/${String(ownedGroup.id)}/projects`;
      expect(await readAll(caller, path, `order_by=id&${query}`, ofGroup.length)).toEqual(ofGroup);
      const all = newestFirst(matching);
      expect(await readAll(admin, '/projects/all', `order_by=id&${query}`, all.length)).toEqual(
        all,
      );
    }
  });

  it('stay the same with a generic plan', async () => {
    for (const [path, isListed] of Object.entries(LISTS)) {
      const expected = newestFirst(
        projects.filter((project) => isListed(project) && !project.archived),
      );
      for (let run = 0; run < 4; run += 1) {
        expect(await readAll(caller, path, 'order_by=id', expected.length)).toEqual(expected);
      }
    }
  });
});
