import {
  clientNetwork,
  FairSlots,
  type SlotCaller,
  SlotsTakenError,
} from '../../../src/platform/limits/index.js';

const LIMITS = { name: 'trial', total: 3, perUser: 1, perAddress: 2, waitMs: 60_000, waiting: 8 };
const FIRST: SlotCaller = { address: '192.0.2.1' };
const SECOND: SlotCaller = { address: '192.0.2.2' };
const THIRD: SlotCaller = { address: '192.0.2.3' };

/** What a refused caller learns. */
function refusalOf(action: () => unknown): Pick<SlotsTakenError, 'isCallers'> | null {
  try {
    action();
  } catch (error) {
    if (error instanceof SlotsTakenError) return { isCallers: error.isCallers };
    throw error;
  }
  return null;
}

describe('fair slots', () => {
  it('limit one address to its share, and keep the rest for others', () => {
    const slots = new FairSlots(LIMITS);
    const release = slots.take(FIRST);
    slots.take(FIRST);
    expect(refusalOf(() => slots.take(FIRST))).toEqual({ isCallers: true });
    slots.take(SECOND);
    expect(refusalOf(() => slots.take(SECOND))).toEqual({ isCallers: false });
    expect(slots.taken).toBe(3);
    release();
    release();
    expect(slots.taken).toBe(2);
    slots.take(SECOND);
    expect(slots.taken).toBe(3);
  });

  it('limit one user to its share from all addresses', () => {
    const slots = new FairSlots(LIMITS);
    slots.take({ ...FIRST, userId: 7 });
    expect(refusalOf(() => slots.take({ ...SECOND, userId: 7 }))).toEqual({ isCallers: true });
    slots.take({ ...FIRST, userId: 8 });
    slots.take(SECOND);
  });

  it('limit all anonymous callers together, from whatever addresses', async () => {
    const slots = new FairSlots({ ...LIMITS, anonymous: 2 });
    const release = slots.take(FIRST);
    slots.take(SECOND);
    expect(refusalOf(() => slots.take(THIRD))).toEqual({ isCallers: false });
    const waiting = slots.acquire(THIRD);
    slots.take({ ...THIRD, userId: 7 });
    release();
    await waiting;
    expect(slots.taken).toBe(3);
    expect(refusalOf(() => slots.take(FIRST))).toEqual({ isCallers: false });
  });

  it('go to the waiting address with the fewest', async () => {
    const slots = new FairSlots(LIMITS);
    const entered: string[] = [];
    const releases = [slots.take(FIRST), slots.take(FIRST), slots.take(SECOND)];
    const waiting = [SECOND, SECOND, THIRD].map((caller) =>
      slots.acquire(caller).then((release) => {
        entered.push(caller.address);
        return release;
      }),
    );
    releases[0]?.();
    await waiting[2];
    releases[1]?.();
    await waiting[0];
    releases[2]?.();
    await waiting[1];
    expect(entered).toEqual([THIRD, SECOND, SECOND].map(({ address }) => address));
  });

  it('limit one address to a quarter of the queue', async () => {
    const slots = new FairSlots({ ...LIMITS, total: 1 });
    const release = slots.take(FIRST);
    const waiting = [slots.acquire(FIRST), slots.acquire(FIRST)];
    await expect(slots.acquire(FIRST)).rejects.toThrow(SlotsTakenError);
    const other = slots.acquire(SECOND);
    release();
    await Promise.all([...waiting, other].map(async (next) => (await next)()));
    expect(slots.taken).toBe(0);
  });

  it('rotate among waiting addresses, and go to the user with the fewest', async () => {
    const slots = new FairSlots({ ...LIMITS, total: 2, perUser: 2, waiting: 40 });
    const entered: string[] = [];
    const releases = [slots.take(FIRST), slots.take({ ...THIRD, userId: 7 })];
    const wait = async (name: string, caller: SlotCaller): Promise<void> => {
      const release = await slots.acquire(caller);
      entered.push(name);
      releases.push(release);
    };
    const waiting = [
      wait('first', FIRST),
      wait('first again', FIRST),
      wait('second of 7', { ...SECOND, userId: 7 }),
      wait('second of 8', { ...SECOND, userId: 8 }),
    ];
    releases[0]?.();
    await waiting[0];
    releases[2]?.();
    await waiting[3];
    releases[3]?.();
    await waiting[1];
    releases[4]?.();
    await waiting[2];
    expect(entered).toEqual(['first', 'second of 8', 'first again', 'second of 7']);
  });

  it('are reserved for addresses with few', () => {
    const reserved = { slots: 2, perAddress: 1 };
    const slots = new FairSlots({ ...LIMITS, total: 6, perAddress: 6, reserved });
    for (let taken = 0; taken < 4; taken += 1) slots.take(FIRST);
    expect(refusalOf(() => slots.take(FIRST))).toEqual({ isCallers: false });
    slots.take(SECOND);
    expect(refusalOf(() => slots.take(SECOND))).toEqual({ isCallers: false });
    slots.take(THIRD);
    expect(slots.taken).toBe(6);
  });

  it('respect limits of an address that shrink while it waits', async () => {
    const narrow: { perAddress?: number; waitMs?: number } = {};
    const slots = new FairSlots({ ...LIMITS, total: 2 }, (address) =>
      address === FIRST.address ? narrow : {},
    );
    const release = slots.take(FIRST);
    slots.take(FIRST);
    const waiting = slots.acquire(FIRST);
    const other = slots.acquire(SECOND);
    Object.assign(narrow, { perAddress: 1, waitMs: 0 });
    slots.reviewWaits();
    await expect(waiting).rejects.toThrow(SlotsTakenError);
    release();
    await other;
    expect(refusalOf(() => slots.take(FIRST))).toEqual({ isCallers: true });
  });

  it('refuse after the longest wait, with Retry-After in seconds', async () => {
    const slots = new FairSlots({ ...LIMITS, total: 1, waitMs: 5 });
    slots.take(FIRST);
    await expect(slots.acquire(SECOND)).rejects.toMatchObject({
      isCallers: false,
      retryAfterSeconds: 1,
    });
    expect(slots.taken).toBe(1);
  });

  it('skip disconnected clients', async () => {
    const slots = new FairSlots({ ...LIMITS, total: 1 });
    const release = slots.take(FIRST);
    const gone = new AbortController();
    const left = slots.acquire(SECOND, gone.signal);
    const stays = slots.acquire(THIRD);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    release();
    (await stays)();
    expect(slots.taken).toBe(0);
    await expect(slots.acquire(FIRST, gone.signal)).rejects.toThrow('gone');
  });
});

describe('the network of a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});
