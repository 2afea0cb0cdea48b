import { WideLists } from '../../../src/modules/authorization/index.js';
import type { FairSlots } from '../../../src/platform/limits/index.js';
import type { Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';
import { withWait } from '../../support/with-wait.js';

/** Lists that may look at all rows of a project, and whether they are open to readers without a credential. */
const LISTS = [
  ['milestones?search=any', true],
  ['events?action=created', true],
  ['events?target_type=issue', true],
  ['events?before=2030-01-01', true],
  ['events?after=2020-01-01', true],
  ['pipelines', false],
  ['pipelines?status=success', false],
] as const;

/** Lists that only readers without a credential take slots for. */
const LISTS_OF_STRANGERS = [
  'issues?search=any',
  'issues?author_id=1',
  'issues?labels=any,other',
  'issues?milestone=any',
  'issues?page=101&per_page=100',
  'labels?search=any',
  'merge_requests?search=any',
  'merge_requests?source_branch=any',
  'merge_requests?page=101&per_page=100',
] as const;

describe('lists whose time does not depend on what they find', () => {
  let trellis: Trellis;
  let reader: Person;
  let project: string;
  let slots: FairSlots;
  let limits: { perUser: number; waitMs: number };

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const owner = await trellis.factories.user();
    reader = await trellis.factories.user();
    const { id } = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis.rows(
      `INSERT INTO commit_statuses (project_id, sha, ref, name, status, author_id)
       VALUES ($1, repeat('a', 40), 'master', 'build', 'success', $2)`,
      [id, owner.user.id],
    );
    project = `/projects/${String(id)}`;
    slots = Reflect.get(trellis.app.get(WideLists), 'slots') as FairSlots;
    limits = Reflect.get(slots, 'limits') as typeof limits;
  });

  const get = async (path: string, isAnonymous: boolean) => {
    const client = isAnonymous ? trellis.anonymous : trellis.as(reader);
    return client.v4.get(`${project}/${path}`);
  };

  it.each(LISTS)('take a slot of their reader: %s', async (path, isOpen) => {
    const { id: userId } = reader.user;
    const line = { address: `user ${String(userId)}`, userId };
    for (const [isAnonymous, caller] of [
      [false, line],
      ...(isOpen ? [[true, { address: '127.0.0.1' }] as const] : []),
    ] as const) {
      const held = Array.from({ length: limits.perUser }, () => slots.take(caller));
      const refused = await withWait(limits, 1, () => get(path, isAnonymous));
      for (const release of held) release();
      const answered = await get(path, isAnonymous);
      expect([refused.status, answered.status]).toEqual([429, 200]);
    }
  });

  it.each(LISTS_OF_STRANGERS)('take a slot of readers without a credential: %s', async (path) => {
    const held = Array.from({ length: limits.perUser }, () => slots.take({ address: '127.0.0.1' }));
    const refused = await withWait(limits, 1, () => get(path, true));
    const known = await get(path, false);
    for (const release of held) release();
    const answered = await get(path, true);
    expect([refused.status, known.status, answered.status]).toEqual([429, 200, 200]);
  });

  it('take a slot of readers without a credential for groups and all projects', async () => {
    const owner = await trellis.factories.user();
    const { path } = await trellis.factories.group(owner);
    for (const list of [
      `/users/${String(owner.user.id)}/events`,
      `/groups/${path}/issues`,
      `/groups/${path}/merge_requests`,
      '/groups?search=any',
      '/issues?scope=all',
      '/merge_requests?scope=all',
    ]) {
      const ask = async () => trellis.anonymous.v4.get(list);
      const held = Array.from({ length: limits.perUser }, () =>
        slots.take({ address: '127.0.0.1' }),
      );
      const refused = await withWait(limits, 1, ask);
      for (const release of held) release();
      expect([list, refused.status, (await ask()).status]).toEqual([list, 429, 200]);
    }
  });

  it.each([
    'issues',
    'labels',
    'merge_requests?state=opened',
    'milestones',
    'events',
    'events?action=updated',
    'events?target_type=wiki',
  ])('take none where an index serves them, or nothing can match: %s', async (path) => {
    const held = Array.from({ length: limits.perUser }, () => slots.take({ address: '127.0.0.1' }));
    const answered = await get(path, true);
    for (const release of held) release();
    expect(answered.status).toBe(200);
  });
});
