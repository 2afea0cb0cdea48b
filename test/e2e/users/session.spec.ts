import type { Person } from '../../support/factories.js';
import { PLAIN_ACCOUNT } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

describe('POST /session', () => {
  let trellis: Trellis;
  let person: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    person = await trellis.factories.user();
  });

  it('returns the same error for a wrong password, an unknown account and a blocked one', async () => {
    const blocked = await trellis.factories.user();
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
    const attempts = [
      { login: person.user.username, password: 'not the password' },
      { login: 'nobody-at-all', password: person.password },
      { login: blocked.user.username, password: blocked.password },
    ];
    for (const attempt of attempts) {
      const answer = await trellis.anonymous.post('/session', attempt).expect(401);
      expect(answer.body).toEqual({ message: '401 Unauthorized' });
    }
  });

  it('names missing parameters', async () => {
    const neither = await trellis.anonymous.post('/session', { password: 'x' }).expect(400);
    expect(neither.body).toEqual({
      error: 'login, email are missing, at least one parameter must be provided',
    });
    const { username: login } = person.user;
    const noPassword = await trellis.anonymous.post('/session', { login }).expect(400);
    expect(noPassword.body).toEqual({ error: 'password is missing' });
  });

  it('accepts user name, e-mail as login and e-mail, case-insensitively', async () => {
    const { username, email } = person.user;
    const { password } = person;
    for (const credential of [
      { login: username.toUpperCase(), password },
      { login: email.toUpperCase(), password },
      { email, password },
      { email, login: 'somebody-else', password },
    ]) {
      const answer = await trellis.anonymous.post('/session', credential).expect(200);
      expect(answer.body).toMatchObject({ id: person.user.id, private_token: person.token });
    }
  });

  it('returns the whole account with its token, and updates the sign-in times', async () => {
    const { user, password, token } = await trellis.factories.user({ name: 'Ada Lovelace' });
    const sign = () => trellis.anonymous.post('/session', { login: user.username, password });
    const first = await sign().expect(200);
    expect(first.body).toEqual({
      id: user.id,
      username: user.username,
      name: 'Ada Lovelace',
      state: 'active',
      avatar_url: expect.stringMatching(
        /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?s=80&d=identicon$/,
      ),
      web_url: `${trellis.url}/${user.username}`,
      created_at: user.createdAt.toISOString(),
      ...PLAIN_ACCOUNT,
      email: user.email,
      current_sign_in_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      confirmed_at: user.confirmedAt?.toISOString(),
      private_token: token,
    });
    const second = await sign().expect(200);
    const { current_sign_in_at: before } = first.body as { current_sign_in_at: string };
    expect(second.body).toMatchObject({ last_sign_in_at: before });
  });

  it('stores neither password nor token in the clear', async () => {
    const [row] = await trellis.rows('SELECT * FROM users WHERE id = $1', [person.user.id]);
    const stored = JSON.stringify(row);
    expect(stored).not.toContain(person.password);
    expect(stored).not.toContain(person.token);
    expect(stored).toContain('$scrypt$');
  });

  it('returns 201 in the gitlab profile, with the older names of renamed fields', async () => {
    const { user, password } = await trellis.factories.user();
    await trellis.rows(`UPDATE users SET messenger = 'ada.l' WHERE id = $1`, [user.id]);
    const credential = { login: user.username, password };
    await trellis.with({ STATUS_PROFILE: 'gitlab' }, async () => {
      const answer = await trellis.anonymous.post('/session', credential).expect(201);
      expect(answer.body).toMatchObject({ messenger: 'ada.l', skype: 'ada.l', linkedin: null });
    });
  });
});
