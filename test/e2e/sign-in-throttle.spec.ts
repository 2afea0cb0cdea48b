import { DataSource } from 'typeorm';
import { SignInThrottle } from '../../src/modules/users/sign-in-throttle.js';
import { unique } from '../support/factories.js';
import { Trellis } from '../support/trellis.js';

const REFUSED = { detail: { code: 'too-many-requests' } };

describe('the throttle of sign-in attempts', () => {
  let trellis: Trellis;
  let throttle: SignInThrottle;

  beforeAll(async () => {
    trellis = await Trellis.start();
    throttle = trellis.app.get(SignInThrottle);
  });
  afterAll(() => trellis.stop());

  const attempts = async (count: number, address: string, login: () => string): Promise<void> => {
    for (let made = 0; made < count; made += 1) await throttle.attempt(address, login());
  };

  it('lets ten attempts a minute through from one address, whoever they are for', async () => {
    await attempts(10, '203.0.113.1', unique);
    await expect(throttle.attempt('203.0.113.1', unique())).rejects.toMatchObject(REFUSED);
    await throttle.attempt('203.0.113.2', unique());
  });

  it('lets ten attempts a minute through at one account, wherever they come from', async () => {
    const login = unique();
    for (let made = 0; made < 10; made += 1) {
      await throttle.attempt(`198.51.100.${String(made)}`, login);
    }
    const another = throttle.attempt('2001:db8::1', login.toUpperCase());
    await expect(another).rejects.toMatchObject({
      detail: { code: 'too-many-requests', retryAfterSeconds: expect.any(Number) as number },
    });
  });

  it('counts for all processes together', async () => {
    const another = new SignInThrottle(trellis.app.get(DataSource));
    await attempts(10, '203.0.113.9', unique);
    await expect(another.attempt('203.0.113.9', unique())).rejects.toMatchObject(REFUSED);
  });

  it('leaves loopback clients alone', async () => {
    const login = unique();
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
      await attempts(11, address, () => login);
    }
    await throttle.attempt('192.0.2.1', login);
  });
});
