import { type Cast, makeCast, ROLES, type Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { answerOnCode } from '../../support/filled-cast.js';
import { addMergeRequests, type MergeRequestRow } from '../../support/merge-request-rows.js';
import { mergeRequestsOf, pathOf } from '../../support/merge-requests.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const STATES = ['opened', 'closed', 'merged', 'reopened'] as const;

const day = (number: number): string => `2017-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;

describe('lists of merge requests', () => {
  let trellis: Trellis;
  let cast: Cast;
  let project: MadeProject;
  let owner: Person;
  let rows: Required<Pick<MergeRequestRow, 'state' | 'createdAt' | 'updatedAt'>>[];
  let ids: number[];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    project = cast.projects[20];
    owner = cast.people.owner as Person;
    // Pairs were made at the same moment, and changed in another order.
    rows = Array.from({ length: 24 }, (_, at) => ({
      state: STATES[at % 4]!,
      createdAt: day(1 + Math.floor(at / 2)),
      updatedAt: day(1 + ((at * 7) % 24)),
    }));
    const authorId = owner.user.id;
    ids = await addMergeRequests(
      trellis,
      project,
      rows.map((row) => ({ authorId, ...row })),
    );
  });

  const list = async (query = '', place: { id: number } = project) =>
    trellis.as(owner).get(`${mergeRequestsOf(place)}?${query}`);
  const listed = async (query: string) => {
    const { status, body } = await list(`per_page=100&${query}`);
    expect(status).toBe(200);
    return (body as { id: number }[]).map(({ id }) => id);
  };

  it('require read access to a project with merge requests enabled', async () => {
    for (const visibility of [0, 10, 20] as const) {
      for (const role of ROLES) {
        const caller = cast.people[role];
        const client = caller === null ? trellis.anonymous : trellis.as(caller);
        const { status } = await client.get(mergeRequestsOf(cast.projects[visibility]));
        expect([visibility, role, status]).toEqual([
          ...[visibility, role, answerOnCode(role, visibility)],
        ]);
      }
    }
    const nowhere = await list('', { id: 2_147_483_647 });
    expect([nowhere.status, nowhere.body]).toEqual([404, { message: '404 Project Not Found' }]);
    const path = `/projects/${String(cast.projects[10].id)}`;
    await trellis.as(owner).put(path, { merge_requests_enabled: false }).expect(200);
    expect((await list('', cast.projects[10])).status).toBe(403);
  });

  it('require well-formed parameters', async () => {
    for (const [query, error] of [
      ['state=open', 'state does not have a valid value'],
      ['state=reopened', 'state does not have a valid value'],
      ['order_by=title', 'order_by does not have a valid value'],
      ['sort=down', 'sort does not have a valid value'],
      ['iid=x', 'iid is invalid'],
      ['iid[]=1&iid[]=x', 'iid is invalid'],
      ['page=x', 'page is invalid'],
    ] as const) {
      const { status, body } = await list(query);
      expect([query, status, body]).toEqual([query, 400, { error }]);
    }
  });

  it('filter and sort by the parameters', async () => {
    const orders = { created_at: 'createdAt', updated_at: 'updatedAt' } as const;
    for (const state of [undefined, 'all', 'opened', 'closed', 'merged'] as const) {
      for (const by of [undefined, 'created_at', 'updated_at'] as const) {
        for (const sort of [undefined, 'asc', 'desc'] as const) {
          const query = Object.entries({ state, order_by: by, sort })
            .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
            .join('&');
          const sign = sort === 'asc' ? 1 : -1;
          const time = orders[by ?? 'created_at'];
          const wanted = rows
            .map((row, at) => ({ ...row, id: ids[at]! }))
            .filter(({ state: has }) =>
              state === 'opened' ? /opened$/.test(has) : [undefined, 'all', has].includes(state),
            )
            .sort((a, b) => sign * (a[time].localeCompare(b[time]) || a.id - b.id))
            .map(({ id }) => id);
          expect([query, await listed(query)]).toEqual([query, wanted]);
        }
      }
    }
  });

  it('filter by numbers', async () => {
    expect(await listed('iid=3')).toEqual([ids[2]]);
    expect(await listed('iid[]=2&iid[]=17&iid[]=999')).toEqual([ids[16], ids[1]]);
    expect(await listed('iid=2,4&state=closed')).toEqual([ids[1]]);
    expect(await listed('iid=99999999999')).toEqual([]);
    expect(await listed('iid=')).toHaveLength(24);
  });

  it('are split into pages', async () => {
    const first = await list('per_page=10&page=2&state=all');
    expect((first.body as { id: number }[]).map(({ id }) => id)).toEqual(
      (await listed('')).slice(10, 20),
    );
    expect(first.headers).toMatchObject({
      ...{ 'x-total': '24', 'x-total-pages': '3', 'x-page': '2', 'x-next-page': '3' },
    });
    expect((await list('page=9')).body).toEqual([]);
    expect((await list()).body).toHaveLength(20);
  });

  it('take as many statements for many as for few', async () => {
    const count = async (perPage: number) => {
      const path = `${mergeRequestsOf(project)}?per_page=${String(perPage)}`;
      return (await trellis.statements.during(() => trellis.as(owner).get(path).expect(200)))
        .length;
    };
    const few = await count(1);
    expect(await count(24)).toBe(few);
    expect(few).toBeLessThanOrEqual(8);
  });

  it('do not check mergeability', async () => {
    await list('per_page=100');
    const unchecked = await trellis.rows(
      `SELECT 1 FROM merge_requests WHERE project_id = $1 AND merge_status = 'unchecked'`,
      [project.id],
    );
    expect(unchecked).toHaveLength(24);
  });

  describe('and single merge requests', () => {
    const place = (visibility: 0 | 20) => cast.projects[visibility];

    it('are shown to readers, authors and assignees', async () => {
      const guest = cast.people.guest as Person;
      const [request, given] = await addMergeRequests(trellis, place(0), [
        { authorId: owner.user.id, state: 'closed' },
        { authorId: owner.user.id, assigneeId: guest.user.id, state: 'closed' },
      ]);
      const read = async (role: Role, id: number) => {
        const caller = cast.people[role];
        const client = caller === null ? trellis.anonymous : trellis.as(caller);
        return (await client.get(pathOf({ id, project_id: place(0).id }))).status;
      };
      for (const role of ROLES) {
        expect([role, await read(role, request!)]).toEqual([role, answerOnCode(role, 0)]);
      }
      expect(await read('guest', given!)).toBe(200);
      expect(await read('groupGuest', given!)).toBe(403);
      expect(await read('guest', 2_147_483_647)).toBe(404);
    });

    it('are found only in their own project, under both paths', async () => {
      const path = pathOf({ id: ids[1]!, project_id: project.id });
      const { body } = await trellis.as(owner).get(path).expect(200);
      expect(body).toMatchObject({ id: ids[1], iid: 2, state: 'closed', sha: null });
      const old = await trellis
        .as(owner)
        .get(path.replace('merge_requests', 'merge_request'))
        .expect(200);
      expect(old.body).toEqual(body);
      const elsewhere = pathOf({ id: ids[1]!, project_id: place(0).id });
      const absent = await trellis.as(owner).get(elsewhere).expect(404);
      expect(absent.body).toEqual({ message: '404 Not found' });
      const odd = await trellis
        .as(owner)
        .get(`${mergeRequestsOf(project)}/one`)
        .expect(400);
      expect(odd.body).toEqual({ error: 'merge_request_id is invalid' });
    });
  });
});
