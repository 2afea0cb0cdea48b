import { DataSource } from 'typeorm';
import { PasswordThrottle } from '../../../src/modules/users/index.js';
import { Deferred } from '../../../src/platform/async/index.js';
import { ClientDisconnectedError } from '../../../src/platform/errors/index.js';
import {
  DOUBTED_PASSWORDS,
  PASSWORD_HASHES,
} from '../../../src/modules/users/authentication/password-throttle.js';
import { unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';
import { PATIENT_MS, withWait } from '../../support/with-wait.js';

const REFUSED = {
  detail: { code: 'too-many-requests', retryAfterSeconds: expect.any(Number) as number },
};

describe('the throttle of sign-in attempts', () => {
  let trellis: Trellis;
  let throttle: PasswordThrottle;
  let compared = 0;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'settings at the start' });
  });
  beforeEach(() => {
    compared = 0;
    // As in a process that has just started, which knows of no guesses.
    throttle = new PasswordThrottle(trellis.app.get(DataSource));
  });
  afterAll(() => trellis.stop());

  const attempt = (address: string, account: string, isRight = false, by = throttle) =>
    by.forSession(address)(account, () => {
      compared += 1;
      return Promise.resolve(isRight);
    });
  const failures = async (count: number, address: string, account: () => string) => {
    for (let made = 0; made < count; made += 1) await attempt(address, account());
  };

  it('compares ten wrong passwords a minute of one address, for all accounts', async () => {
    await failures(10, '203.0.113.1', unique);
    await expect(attempt('203.0.113.1', unique(), true)).rejects.toMatchObject(REFUSED);
    expect(compared).toBe(10);
    expect(await attempt('203.0.113.2', unique(), true)).toBe(true);
  });

  it('treats a burst like a sequence', async () => {
    const account = unique();
    const results = await withWait(PASSWORD_HASHES, PATIENT_MS, () =>
      Promise.allSettled(Array.from({ length: 16 }, () => attempt('203.0.113.3', account))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(compared).toBe(10);
  });

  it('ignores right passwords', async () => {
    const account = unique();
    for (let made = 0; made < 25; made += 1) await attempt('203.0.113.4', account, true);
    await failures(10, '203.0.113.4', () => account);
    await expect(attempt('203.0.113.4', account, true)).rejects.toMatchObject(REFUSED);
  });

  it('treats an IPv6 network like an address', async () => {
    for (let host = 1; host <= 10; host += 1) {
      await attempt(`2001:db8:7:7::${host.toString(16)}`, unique());
    }
    await expect(attempt('2001:db8:7:7:ffff::1', unique())).rejects.toMatchObject(REFUSED);
    await attempt('2001:db8:7:8::1', unique());
  });

  it('keeps an account under attack open to its known addresses', async () => {
    const account = unique();
    expect(await attempt('192.0.2.200', account, true)).toBe(true);
    for (let made = 0; made < 60; made += 1) {
      await attempt(`198.51.100.${String(Math.floor(made / 6))}`, account);
    }
    await expect(attempt('198.51.100.250', account, true)).rejects.toMatchObject(REFUSED);
    expect(await attempt('192.0.2.200', account, true)).toBe(true);
    expect(await attempt('198.51.100.251', unique(), true)).toBe(true);
  });

  it('is shared by all processes', async () => {
    const dataSource = trellis.app.get(DataSource);
    const another = new PasswordThrottle(dataSource);
    await failures(10, '203.0.113.9', unique);
    await expect(attempt('203.0.113.9', unique(), true, another)).rejects.toMatchObject(REFUSED);
  });

  it('blocks an address for an hour after attempts at many processes at once', async () => {
    const dataSource = trellis.app.get(DataSource);
    const processes = Array.from({ length: 8 }, () => new PasswordThrottle(dataSource));
    const begun = new Deferred<void>();
    let comparing = 0;
    const guesses = processes.flatMap((by) =>
      Array.from({ length: 2 }, () =>
        by.forBasicAuthentication('203.0.113.30')(unique(), async () => {
          comparing += 1;
          if (comparing === 16) begun.resolve();
          await begun.promise;
          return false;
        }),
      ),
    );
    expect(await Promise.all(guesses)).toEqual(guesses.map(() => false));
    const [row] = await dataSource.query<{ seconds: number }[]>(
      `SELECT (expire - extract(epoch FROM now()) * 1000)::float8 / 1000 AS seconds
         FROM rate_limits WHERE key = 'basic-failures:203.0.113.30'`,
    );
    expect(row?.seconds).toBeGreaterThan(3_000);
    expect(await throttle.isShutOut('203.0.113.30')).toBe(true);
  });

  it('ignores loopback clients', async () => {
    const account = unique();
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
      await failures(11, address, () => account);
    }
    expect(compared).toBe(44);
    await attempt('192.0.2.1', account);
  });

  /** An attempt that is compared for as long as another one may begin, and notes where it is from. */
  const slowly = (address: string, isRight: boolean, begun: string[]) =>
    throttle.forSession(address)(unique(), async () => {
      begun.push(address);
      await new Promise((resolve) => setImmediate(resolve));
      return isRight;
    });

  it('compares a password from another address before those of a crowd at one address', async () => {
    const begun: string[] = [];
    // Loopback clients wait in the order of their attempts: nothing is read before of what is counted.
    const crowd = Array.from({ length: 100 }, () => slowly('127.0.0.60', true, begun));
    const other = slowly('127.0.0.61', true, begun);
    expect(await other).toBe(true);
    expect(begun.indexOf('127.0.0.61')).toBe(PASSWORD_HASHES.total);
    expect(await Promise.all(crowd)).toEqual(crowd.map(() => true));
  });

  it('keeps a slot for others during attempts of an address', async () => {
    let guessing = 0;
    let most = 0;
    const guess = () =>
      throttle.forSession('127.0.0.9')(unique(), async () => {
        guessing += 1;
        most = Math.max(most, guessing);
        await new Promise((resolve) => setImmediate(resolve));
        guessing -= 1;
        return false;
      });
    // Loopback is not counted, so that slots alone hold it off.
    const first = Array.from({ length: DOUBTED_PASSWORDS.leastWrong }, guess);
    await Promise.all(first);
    expect(most).toBe(PASSWORD_HASHES.total);
    most = 0;
    const released = new Deferred<boolean>();
    const others = Array.from({ length: 20 }, guess);
    const held = throttle.forSession('192.0.2.62')(unique(), () => released.promise);
    expect(await Promise.all(others)).toEqual(others.map(() => false));
    expect(most).toBe(1);
    released.resolve(true);
    expect(await held).toBe(true);
  });

  it('removes disconnected clients from the queue', async () => {
    const released = new Deferred<boolean>();
    const held = Array.from({ length: PASSWORD_HASHES.total }, () =>
      throttle.forSession('192.0.2.63')(unique(), () => released.promise),
    );
    const client = new AbortController();
    let isCompared = false;
    const verify = () => Promise.resolve((isCompared = true));
    const left = throttle.forSession('192.0.2.64')(unique(), verify, { gone: client.signal });
    client.abort();
    await expect(left).rejects.toThrow(ClientDisconnectedError);
    released.resolve(true);
    await Promise.all(held);
    expect(isCompared).toBe(false);
  });

  it('compares a right password once a minute at POST /session, and not after a change of the password', async () => {
    const owner = await trellis.factories.user();
    const admin = await trellis.factories.admin();
    const signIn = (password: string) =>
      trellis.anonymous.post('/session', { login: owner.user.username, password });
    await signIn(owner.password).expect(200);
    // All slots are taken for as long as this takes: what is compared would wait.
    const released = new Deferred<boolean>();
    const ofProcess = trellis.app.get(PasswordThrottle);
    const held = Array.from({ length: PASSWORD_HASHES.total }, (_, index) =>
      ofProcess.forSession(`192.0.2.7${String(index)}`)(unique(), () => released.promise),
    );
    await signIn(owner.password).expect(200);
    released.resolve(true);
    await Promise.all(held);
    await trellis
      .as(admin)
      .put(`/users/${String(owner.user.id)}`, { password: 'another-password' })
      .expect(200);
    await signIn(owner.password).expect(401);
    await signIn('another-password').expect(200);
  });

  it('returns 429 beyond the queue limit, also where others hold the slots', async () => {
    const { total, waiting } = PASSWORD_HASHES;
    const released = new Deferred<boolean>();
    const held = Array.from({ length: total + waiting }, (_, index) =>
      throttle.forSession(`127.1.${String(index >> 8)}.${String(index & 255)}`)(
        unique(),
        () => released.promise,
      ),
    );
    await expect(attempt('127.2.0.1', unique())).rejects.toMatchObject(REFUSED);
    released.resolve(true);
    expect(await Promise.all(held)).toEqual(held.map(() => true));
  });
});

describe('the address of a client', () => {
  let trellis: Trellis;
  afterEach(() => trellis.stop());

  const signIn = (forwarded: string, password: string, login: string) =>
    trellis.anonymous
      .call('post', '/session')
      .set('X-Forwarded-For', forwarded)
      .send({ login, password });

  it('is taken from a trusted proxy', async () => {
    trellis = await Trellis.start({
      because: 'settings at the start',
      env: { TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' },
    });
    const login = unique();
    for (let made = 0; made < 10; made += 1) {
      // What a client claims of itself stands further left.
      await signIn(`192.0.2.${String(made)}, 203.0.113.20, 10.1.2.3`, 'wrong', login).expect(401);
    }
    const refused = await signIn('203.0.113.20', 'wrong', login).expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await signIn('203.0.113.21', 'wrong', login).expect(401);
    // No address at all: the connection's counts, which is exempt.
    await signIn('unknown', 'wrong', login).expect(401);
  });

  it('is that of the connection without a trusted proxy', async () => {
    trellis = await Trellis.start({ because: 'settings at the start' });
    for (let made = 0; made < 12; made += 1) {
      await signIn('203.0.113.20', 'wrong', unique()).expect(401);
    }
  });
});
