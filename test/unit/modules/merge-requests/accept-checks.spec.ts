import {
  type AcceptCase,
  assertUnchanged,
  findRefusal,
  hasSucceeded,
} from '../../../../src/modules/merge-requests/accept/accept-checks.js';

const HEAD = 'a'.repeat(40);
const REQUEST = { state: 'opened', title: 'Add', headSha: HEAD, targetBranch: 'master' } as const;

const said = (value: boolean) => () => Promise.resolve(value);

const acceptCase = (changes: Partial<AcceptCase> = {}): AcceptCase => ({
  mergeRequest: REQUEST,
  sha: undefined,
  mayMerge: said(true),
  awaitsBuild: said(false),
  isMergeable: said(true),
  ...changes,
});

/** Everything that can be wrong, in the order in which it is looked at. */
const WRONGS: readonly [name: string, wrong: Partial<AcceptCase>, detail: object][] = [
  ['the right is missing', { mayMerge: said(false) }, { code: 'unauthenticated' }],
  [
    'it is closed',
    { mergeRequest: { ...REQUEST, state: 'closed' } },
    { code: 'not-acceptable', text: 'Method Not Allowed' },
  ],
  [
    'the head is another one',
    { sha: HEAD.slice(0, 10) },
    { code: 'conflict', reason: `SHA does not match HEAD of source branch: ${HEAD}` },
  ],
  [
    'the work is in progress',
    { mergeRequest: { ...REQUEST, title: 'WIP: Add' } },
    { code: 'not-allowed' },
  ],
  ['the build has not succeeded', { awaitsBuild: said(true) }, { code: 'not-allowed' }],
  [
    'there is a conflict',
    { isMergeable: said(false) },
    { code: 'not-allowed', text: 'Branch cannot be merged' },
  ],
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

describe('what an accept is judged by', () => {
  it('lets pass what is in order, reopened ones too', async () => {
    expect(await findRefusal(acceptCase())).toBeNull();
    expect(await findRefusal(acceptCase({ sha: HEAD }))).toBeNull();
    const reopened = { ...REQUEST, state: 'reopened' } as const;
    expect(await findRefusal(acceptCase({ mergeRequest: reopened }))).toBeNull();
  });

  it.each(WRONGS)('refuses when %s', async (_, wrong, detail) => {
    expect((await findRefusal(acceptCase(wrong)))?.detail).toEqual(detail);
  });

  it('says the first reason of several', async () => {
    const worst = {
      ...acceptCase({ mayMerge: said(false), sha: 'other', awaitsBuild: said(true) }),
      isMergeable: said(false),
      mergeRequest: { ...REQUEST, state: 'closed', title: 'WIP: Add' } as const,
    };
    const codes: unknown[] = [];
    for (const mended of [
      {},
      { mayMerge: said(true) },
      { mergeRequest: { ...REQUEST, title: 'WIP: Add' } },
      { sha: HEAD },
      { mergeRequest: REQUEST },
      { awaitsBuild: said(false) },
      { isMergeable: said(true) },
    ]) {
      Object.assign(worst, mended);
      codes.push((await findRefusal(worst))?.detail.code);
    }
    expect(codes).toEqual([
      ...['unauthenticated', 'not-acceptable', 'conflict', 'not-allowed', 'not-allowed'],
      ...['not-allowed', undefined],
    ]);
  });

  it('asks nothing that costs something once there is a reason', async () => {
    const asked = jest.fn(said(true));
    const costly = { awaitsBuild: asked, isMergeable: asked };
    await findRefusal(acceptCase({ ...costly, mergeRequest: { ...REQUEST, state: 'merged' } }));
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('what was judged', () => {
  const codeOf = (current: typeof REQUEST | object | null): string => {
    try {
      assertUnchanged(current as typeof REQUEST | null, REQUEST);
      return 'unchanged';
    } catch (error) {
      return (error as { detail: { code: string } }).detail.code;
    }
  };

  it.each([
    ['unchanged', REQUEST],
    ['unchanged', { ...REQUEST, state: 'reopened' }],
    ['record-not-found', null],
    ['not-acceptable', { ...REQUEST, state: 'closed' }],
    ['conflict', { ...REQUEST, state: 'merged' }],
    ['conflict', { ...REQUEST, headSha: 'b'.repeat(40) }],
    ['conflict', { ...REQUEST, targetBranch: 'stable' }],
    ['conflict', { ...REQUEST, title: 'WIP: Add' }],
  ])('is %s when it has become %j', (expected, current) => {
    expect(codeOf(current)).toBe(expected);
  });
});
