import type { Test } from 'supertest';
import { type IssueBody, openIssue, pathOf as issuePath } from '../../support/issues.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { pathOf as requestPath } from '../../support/merge-requests.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const DEADLOCK_DETECTED = '40P01';
const ROUNDS = 3;

// Each case has transactions at the same time that take the same locks from different ends: without the order of
// docs/lock-order.md, PostgreSQL has to end some of them.
describe('transactions with several locks do not deadlock when they', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let deadlocks: string[];
  let failures: jest.SpyInstance;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
    failures = jest.spyOn(trellis.statements, 'noteFailure');
    failures.mockImplementation((error: unknown, sql: string) => {
      if ((error as { code?: string }).code === DEADLOCK_DETECTED) deadlocks.push(sql);
    });
  });
  beforeEach(async () => {
    deadlocks = [];
    place = await merging.place();
  });
  afterAll(() => {
    failures.mockRestore();
    return merging.end();
  });

  const owner = () => trellis.as(merging.owner);

  /** Repeats calls that come together, all of which succeed without a deadlock. */
  async function together(
    calls: (round: number) => readonly Promise<unknown>[] | Promise<readonly Promise<unknown>[]>,
  ): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) await Promise.all(await calls(round));
    expect(deadlocks).toEqual([]);
  }

  async function ok(call: Test): Promise<void> {
    const { status, body } = await call;
    expect([status, body]).toEqual([200, body]);
  }

  it('push several branches during changes of their merge requests', async () => {
    const requests: RequestBody[] = [];
    for (let made = 0; made < 5; made += 1) requests.push(await place.propose());
    const branches = requests.map((request) => request.source_branch);
    const heads = [await place.work.commit('One'), await place.work.commit('Other')];
    const push = async (round: number): Promise<void> => {
      const refs = branches.map((name) => `${heads[round % 2] ?? ''}:refs/heads/${name}`);
      expect((await place.work.push('--force', ...refs)).code).toBe(0);
    };
    await together((round) => {
      let isPushed = false;
      const pushed = push(round).finally(() => (isPushed = true));
      const change = async (request: RequestBody): Promise<void> => {
        for (let changes = 0; !isPushed; changes += 1) {
          const text = `Change ${String(changes)} of round ${String(round)}`;
          await ok(place.update(request, { description: text }));
          await ok(owner().post(`${requestPath(request)}/notes`, { body: text }));
        }
      };
      return [pushed, ...requests.map(change)];
    });
  });

  it('rename labels and milestones that are promoted', async () => {
    const { factories } = trellis;
    const group = await factories.group(merging.owner);
    const v4 = owner().v4;
    const at = ({ id }: { id: number }, rest: string) => `/projects/${String(id)}/${rest}`;
    const made = await Promise.all(
      [1, 2].map(() => factories.project(merging.owner, { namespaceId: group.id })),
    );
    await together(async (round) => {
      const title = `round ${String(round)}`;
      const milestones: string[] = [];
      for (const project of made) {
        await v4.post(at(project, 'labels'), { name: title, color: '#d9534f' }).expect(201);
        const { body } = await v4.post(at(project, 'milestones'), { title }).expect(201);
        milestones.push(at(project, `milestones/${String((body as { id: number }).id)}`));
      }
      const [label = '', same = ''] = made.map((project) => at(project, `labels/${title}`));
      const [milestone = '', equal = ''] = milestones;
      return [
        v4.put(`${label}/promote`),
        v4.put(same, { new_name: `${title} renamed` }),
        v4.put(same, { new_name: `${title} renamed again` }),
        v4.post(`${milestone}/promote`),
        v4.put(equal, { title: `${title} renamed` }),
        v4.put(equal, { description: 'Text' }),
      ];
    });
  });

  it('move issues between two projects in both directions', async () => {
    const other = await trellis.factories.project(merging.owner);
    await together(() => {
      const move = async (from: { id: number }, to: { id: number }): Promise<void> => {
        const issue = await openIssue(trellis, merging.owner, from as typeof other);
        const answer = await owner().post(`${issuePath(issue)}/move`, { to_project_id: to.id });
        expect(answer.status).toBe(200);
      };
      return Array.from({ length: 6 }, (_, at) =>
        at % 2 === 0 ? move(place.project, other) : move(other, place.project),
      );
    });
  });

  it('give issues the same labels in different orders', async () => {
    const labels = Array.from({ length: 10 }, (_, at) => `label ${String(at)}`);
    const issues: IssueBody[] = [];
    for (let made = 0; made < 6; made += 1) {
      issues.push(await openIssue(trellis, merging.owner, place.project));
    }
    await together((round) =>
      issues.map((issue, at) => {
        const some = labels.slice((at + round) % 5, 5 + ((at + round) % 5));
        const names = at % 2 === 0 ? some : some.toReversed();
        return ok(owner().put(issuePath(issue), { labels: names.join(',') }));
      }),
    );
  });

  it('comment on issues that mention each other', async () => {
    const open = () => openIssue(trellis, merging.owner, place.project);
    const mention = (on: IssueBody, other: IssueBody) =>
      ok(owner().post(`${issuePath(on)}/notes`, { body: `See #${String(other.iid)}` }));
    await together(async () => {
      const [one, two] = [await open(), await open()];
      return [1, 2, 3, 4].flatMap(() => [mention(one, two), mention(two, one)]);
    });
  });

  it('set merge requests to wait for builds while statuses are posted', async () => {
    const requests: RequestBody[] = [];
    for (let made = 0; made < 4; made += 1) {
      const request = await place.propose();
      await place.post(request, 'pending').expect(200);
      requests.push(request);
    }
    await together((round) =>
      requests.flatMap((request) => [
        ok(place.post(request, 'failed', { name: `one ${String(round)}` })),
        ok(place.accept(request, { merge_when_build_succeeds: true })),
        ok(place.post(request, 'running', { name: `other ${String(round)}` })),
      ]),
    );
  });

  it('accept merge requests into one branch', async () => {
    await together(async () => {
      const requests: RequestBody[] = [];
      for (let made = 0; made < 4; made += 1) requests.push(await place.propose());
      return requests.flatMap((request, at) => [
        ok(place.accept(request)),
        ok(place.update(requests.at(-1 - at) ?? request, { description: 'Changed' })),
      ]);
    });
  });
});
