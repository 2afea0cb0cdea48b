import { withoutPasswordSlots } from '../../support/password-slots.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { PasswordThrottle } from '../../../src/modules/users/index.js';

describe('an account that changes while its password check waits', () => {
  let trellis: Trellis;
  let admin: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
  });
  afterEach(() => jest.restoreAllMocks());

  const session = ({ user, password }: Person): Promise<Response> =>
    fetch(`${trellis.url}/api/v3/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ login: user.username, password }),
    });
  const refs = ({ user, password }: Person, project: MadeProject): Promise<Response> => {
    const credential = Buffer.from(`${user.username}:${password}`).toString('base64');
    return fetch(`${trellis.url}/${project.fullPath}.git/info/refs?service=git-upload-pack`, {
      headers: { Authorization: `Basic ${credential}` },
    });
  };

  /** How an attempt to sign in and one to fetch end, which begin before a change and are decided after it. */
  async function endAfter(person: Person, change: () => Promise<unknown>): Promise<number[]> {
    const project = await trellis.factories.project(person);
    const throttle = trellis.app.get(PasswordThrottle);
    const { answers } = await withoutPasswordSlots(trellis, async () => {
      const attempts = [
        jest.spyOn(throttle, 'forSession'),
        jest.spyOn(throttle, 'forBasicAuthentication'),
      ];
      const begun = [session(person), refs(person, project)];
      await until(() => Promise.resolve(attempts.every(({ mock }) => mock.calls.length === 1)));
      await change();
      return { answers: begun };
    });
    return Promise.all(answers.map(async (answer) => (await answer).status));
  }

  const CHANGES: [string, (id: number) => Promise<unknown>][] = [
    [
      'gets another password',
      (id) => trellis.as(admin).put(`/users/${String(id)}`, { password: 'another-password' }),
    ],
    ['is blocked', (id) => trellis.as(admin).put(`/users/${String(id)}/block`)],
    ['is deleted', (id) => trellis.as(admin).delete(`/users/${String(id)}`)],
  ];

  it.each(CHANGES)('cannot sign in when it %s', async (_, change) => {
    const person = await trellis.factories.user({ projectsLimit: 10 });
    const statuses = await endAfter(person, () => change(person.user.id));
    expect(statuses).toEqual([401, 401]);
  });

  it('can sign in when only its name changes', async () => {
    const person = await trellis.factories.user({ projectsLimit: 10 });
    const path = `/users/${String(person.user.id)}`;
    const statuses = await endAfter(person, () => trellis.as(admin).put(path, { name: 'Another' }));
    expect(statuses).toEqual([200, 200]);
  });
});
