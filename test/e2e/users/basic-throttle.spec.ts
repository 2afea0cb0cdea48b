import { GitHttpService } from '../../../src/modules/git-access/http/git-http.service.js';
import { PasswordThrottle } from '../../../src/modules/users/index.js';
import { PASSWORD_HASHES } from '../../../src/modules/users/authentication/password-throttle.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';
import { PATIENT_MS, withWait } from '../../support/with-wait.js';

describe('the throttle of Git over HTTP', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
  });

  const basic = (secret: string, login = owner.user.username) =>
    `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`;
  const authorize = (address: string, secret: string, login?: string) => {
    const [namespace = '', path = ''] = project.fullPath.split('/');
    return trellis.app
      .get(GitHttpService)
      .authorize(
        { address, authorization: basic(secret, login) },
        { namespace, project: path },
        'git-upload-pack',
      );
  };

  const atOnce = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
    withWait(PASSWORD_HASHES, PATIENT_MS, () => Promise.all(Array.from({ length: count }, work)));

  it('blocks an address after ten failures, also with the right credential', async () => {
    const address = '203.0.113.77';
    for (let failure = 0; failure < 10; failure += 1) {
      await expect(authorize(address, 'wrong')).rejects.toMatchObject({ status: 401 });
    }
    await expect(authorize(address, 'wrong')).rejects.toMatchObject({ status: 403 });
    await expect(authorize(address, owner.token)).rejects.toMatchObject({
      status: 403,
      message: 'Forbidden',
    });
    const other = await authorize('203.0.113.78', owner.token);
    expect(other.access.project.id).toBe(project.id);
  });

  it('counts unknown tokens under any user name as wrong passwords', async () => {
    const address = '203.0.113.64';
    for (let failure = 0; failure < 10; failure += 1) {
      const login = `tool-${String(failure)}`;
      await expect(authorize(address, 'unknown', login)).rejects.toMatchObject({ status: 401 });
    }
    await expect(authorize(address, 'unknown', 'tool-10')).rejects.toMatchObject({ status: 403 });
    await expect(authorize(address, owner.token, 'oauth2')).rejects.toMatchObject({ status: 403 });
    const other = await authorize('203.0.113.78', owner.token, 'oauth2');
    expect(other.user?.id).toBe(owner.user.id);
  });

  it('compares at most ten passwords of a burst', async () => {
    const address = '203.0.113.80';
    const attempt = () =>
      authorize(address, 'wrong').catch(
        (refusal: unknown) => (refusal as { status: number }).status,
      );
    const statuses = await atOnce(15, attempt);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 403)).toHaveLength(5);
  });

  it('accepts a right password in a burst', async () => {
    const address = '203.0.113.81';
    const { password } = owner;
    const answers = await atOnce(15, () => authorize(address, password));
    for (const { user } of answers) expect(user?.id).toBe(owner.user.id);
  });

  it('answers every attempt of a flood', async () => {
    const path = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    const headers = { Authorization: basic('wrong') };
    const flood = Array.from({ length: 60 }, () => fetch(trellis.url + path, { headers }));
    const answers = await Promise.all(flood);
    for (const { status, headers: told } of answers) {
      expect([status, told.has('retry-after')]).toEqual(
        status === 401 ? [401, false] : [429, true],
      );
    }
    expect(answers.some(({ status }) => status === 401)).toBe(true);
  });

  it('ignores successes, and loopback clients', async () => {
    for (let call = 0; call < 12; call += 1) await authorize('203.0.113.79', owner.token);
    for (let call = 0; call < 12; call += 1) {
      await expect(authorize('127.0.0.1', 'wrong')).rejects.toMatchObject({ status: 401 });
    }
    const throttle = trellis.app.get(PasswordThrottle);
    expect(await throttle.isShutOut('203.0.113.79')).toBe(false);
    expect(await throttle.isShutOut('127.0.0.1')).toBe(false);
  });
});
