import { V3 } from '../../../src/faces/index.js';
import { type Person, unique } from '../../support/factories.js';
import { interfaceOperations } from '../../support/interface-operations.js';
import { Trellis } from '../../support/trellis.js';

/** Lists of accounts, and lists of what bears their names. */
const OF_ACCOUNTS = [
  '/groups/{id}/members',
  '/projects/{id}/members',
  '/projects/{id}/users',
  '/users',
];
const OF_NAMES = [
  '/groups',
  '/groups/{id}/projects',
  '/namespaces',
  '/projects',
  '/projects/all',
  '/projects/owned',
  '/projects/search/{query}',
  '/projects/starred',
  '/projects/visible',
];

describe('searches for an e-mail address', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let hidden: Person;
  let ids: { groups: number; projects: number };
  const address = `hidden-${unique()}@nowhere.test`;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    admin = await factories.admin();
    owner = await factories.user();
    hidden = await factories.user({ email: address });
    const [group, project] = [await factories.group(owner), await factories.project(owner)];
    await factories.addToGroup(group, hidden, 10);
    await factories.addToProject(project, hidden, 10);
    ids = { groups: group.id, projects: project.id };
  });

  const searched = interfaceOperations().filter(
    ({ face, query, segments }) =>
      face === V3 && [...query, ...segments].some((name) => name === 'search' || name === 'query'),
  );

  const find = async (reader: Person, path: string, text: string): Promise<number[]> => {
    const [, kind] = path.split('/');
    const at = path
      .replace('{id}', String(ids[kind as keyof typeof ids]))
      .replace('{query}', encodeURIComponent(text));
    const answer = await trellis
      .as(reader)
      .get(at)
      .query(path.endsWith('{query}') ? {} : { search: text, query: text })
      .expect(200);
    return (answer.body as { id: number }[]).map(({ id }) => id);
  };

  it('cover every list with a search', () => {
    expect(searched.map(({ path }) => path).sort()).toEqual([...OF_ACCOUNTS, ...OF_NAMES].sort());
  });

  it.each(OF_ACCOUNTS)('find the account at %s for administrators only', async (path) => {
    for (const part of [address, address.slice(0, 12), address.toUpperCase()]) {
      expect(await find(admin, path, part)).toEqual([hidden.user.id]);
      expect(await find(owner, path, part)).toEqual([]);
    }
    expect(await find(owner, path, hidden.user.username)).toContain(hidden.user.id);
  });

  it.each(OF_NAMES)('find nothing at %s', async (path) => {
    const readers = path === '/projects/all' ? [admin] : [admin, owner];
    for (const reader of readers) expect(await find(reader, path, address)).toEqual([]);
  });
});
