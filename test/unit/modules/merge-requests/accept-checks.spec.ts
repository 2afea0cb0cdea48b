import {
  type AcceptCase,
  assertUnchanged,
  findRefusal,
  hasSucceeded,
} from '../../../../src/modules/merge-requests/accept/accept-checks.js';

const HEAD = 'a'.repeat(40);
const REQUEST = {
  state: 'opened',
  title: 'Add',
  headSha: HEAD,
  targetBranch: 'master',
  squash: false,
} as const;

const said = (value: boolean) => () => Promise.resolve(value);

const refused = (reason: string) => ({ code: 'merge-refused', reason });

const acceptCase = (changes: Partial<AcceptCase> = {}): AcceptCase => ({
  mergeRequest: REQUEST,
  sha: undefined,
  mayMerge: said(true),
  awaitsResolution: said(false),
  awaitsBuild: said(false),
  lacksApprovals: false,
  isSquashForbidden: false,
  isMergeable: said(true),
  needsRebase: said(false),
  ...changes,
});

/** Returns the reason of a refusal, or its code. */
function reasonOf(refusal: unknown): string | undefined {
  const { reason, code } =
    (refusal as { detail?: { reason?: string; code?: string } } | null)?.detail ?? {};
  return reason ?? code;
}

/** Everything that can be wrong, in the order in which it is looked at. */
const WRONGS: readonly [name: string, wrong: Partial<AcceptCase>, detail: object][] = [
  ['the right is missing', { mayMerge: said(false) }, refused('not-permitted')],
  ['it is closed', { mergeRequest: { ...REQUEST, state: 'closed' } }, refused('not-open')],
  ['the head is another one', { sha: HEAD.slice(0, 10) }, { code: 'other-head', headSha: HEAD }],
  [
    'the work is in progress',
    { mergeRequest: { ...REQUEST, title: 'WIP: Add' } },
    refused('work-in-progress'),
  ],
  ['a thread is unresolved', { awaitsResolution: said(true) }, refused('discussions-unresolved')],
  ['the build has not succeeded', { awaitsBuild: said(true) }, refused('awaits-build')],
  ['approvals are missing', { lacksApprovals: true }, refused('not-approved')],
  ['a squash is forbidden', { isSquashForbidden: true }, refused('squash-forbidden')],
  ['there is a conflict', { isMergeable: said(false) }, refused('not-mergeable')],
  ['the source has to be rebased', { needsRebase: said(true) }, refused('needs-rebase')],
];

describe('a build', () => {
  it.each([
    [null, false],
    ['pending', false],
    ['running', false],
    ['failed', false],
    ['canceled', false],
    ['success', true],
    ['skipped', true],
  ] as const)('whose state is %s has succeeded: %s', (state, expected) => {
    expect(hasSucceeded(state)).toBe(expected);
  });
});

describe('the checks of an acceptance', () => {
  it('pass valid requests, reopened ones too', async () => {
    expect(await findRefusal(acceptCase())).toBeNull();
    expect(await findRefusal(acceptCase({ sha: HEAD }))).toBeNull();
    const reopened = { ...REQUEST, state: 'reopened' } as const;
    expect(await findRefusal(acceptCase({ mergeRequest: reopened }))).toBeNull();
  });

  it.each(WRONGS)('refuse when %s', async (_, wrong, detail) => {
    expect((await findRefusal(acceptCase(wrong)))?.detail).toEqual(detail);
  });

  it('return the first of several reasons', async () => {
    const worst = {
      ...acceptCase({ mayMerge: said(false), sha: 'other', awaitsBuild: said(true) }),
      isMergeable: said(false),
      isSquashForbidden: true,
      needsRebase: said(true),
      mergeRequest: { ...REQUEST, state: 'closed', title: 'WIP: Add' } as const,
    };
    const reasons: unknown[] = [];
    for (const mended of [
      {},
      { mayMerge: said(true) },
      { mergeRequest: { ...REQUEST, title: 'WIP: Add' } },
      { sha: HEAD },
      { mergeRequest: REQUEST },
      { awaitsBuild: said(false) },
      { isSquashForbidden: false },
      { isMergeable: said(true) },
      { needsRebase: said(false) },
    ]) {
      Object.assign(worst, mended);
      reasons.push(reasonOf(await findRefusal(worst)));
    }
    expect(reasons).toEqual([
      ...['not-permitted', 'not-open', 'other-head', 'work-in-progress', 'awaits-build'],
      ...['squash-forbidden', 'not-mergeable', 'needs-rebase', undefined],
    ]);
  });

  it('stop before expensive checks once there is a reason', async () => {
    const asked = jest.fn(said(true));
    const costly = { awaitsBuild: asked, isMergeable: asked };
    await findRefusal(acceptCase({ ...costly, mergeRequest: { ...REQUEST, state: 'merged' } }));
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('what was judged', () => {
  const resultOf = (current: typeof REQUEST | object | null): string | undefined => {
    try {
      assertUnchanged(current as typeof REQUEST | null, REQUEST);
      return 'unchanged';
    } catch (error) {
      return reasonOf(error);
    }
  };

  it.each([
    ['unchanged', REQUEST],
    ['unchanged', { ...REQUEST, state: 'reopened' }],
    ['record-not-found', null],
    ['not-open', { ...REQUEST, state: 'closed' }],
    ['changed', { ...REQUEST, state: 'merged' }],
    ['changed', { ...REQUEST, headSha: 'b'.repeat(40) }],
    ['changed', { ...REQUEST, targetBranch: 'stable' }],
    ['changed', { ...REQUEST, title: 'WIP: Add' }],
    ['changed', { ...REQUEST, squash: true }],
  ])('is %s when it has become %j', (expected, current) => {
    expect(resultOf(current)).toBe(expected);
  });
});
