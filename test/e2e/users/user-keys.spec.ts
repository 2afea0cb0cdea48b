import { createHash, generateKeyPairSync } from 'node:crypto';
import type { Person } from '../../support/factories.js';
import {
  dsa,
  ec,
  field,
  newKey,
  publicBytes,
  rsa,
  withLeadingZero,
} from '../../support/public-keys.js';
import { Trellis } from '../../support/trellis.js';

interface KeyBody {
  id: number;
  key: string;
  created_at: string;
}

const MALFORMED = { message: { key: ['is invalid'], fingerprint: ['cannot be generated'] } };
const TAKEN = { message: { fingerprint: ['has already been taken'] } };

const withData = (type: string, ...fields: Buffer[]) =>
  `${type} ${Buffer.concat([Buffer.from(type), ...fields].map(field)).toString('base64')}`;

describe('SSH keys', () => {
  let trellis: Trellis;
  let admin: Person;
  let person: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
    other = await trellis.factories.user();
  });

  const pathOf = ({ user }: Person) => `/users/${String(user.id)}/keys`;
  const add = async (who: Person, key = newKey()) =>
    (await trellis.as(who).post('/user/keys', { title: 'A key', key }).expect(201)).body as KeyBody;
  const ownKeys = async (who: Person) =>
    (await trellis.as(who).get('/user/keys').expect(200)).body as KeyBody[];

  it('require a title and a key', async () => {
    for (const post of [
      (body: object) => trellis.as(person).post('/user/keys', body),
      (body: object) => trellis.as(admin).post(pathOf(person), body),
    ]) {
      const cases: [object, object][] = [
        [{}, { error: 'title is missing, key is missing' }],
        [{ title: 'x' }, { error: 'key is missing' }],
        [{ title: ['x'], key: 'x' }, { error: 'title is invalid' }],
        [{ title: 'x', key: 'ssh-rsa\0' }, { error: 'key is invalid' }],
        [{ title: ' ', key: newKey() }, { message: { title: ["can't be blank"] } }],
        [{ title: 'x', key: ' ' }, { message: { key: ["can't be blank"] } }],
        [
          { title: 't'.repeat(256), key: 'x' },
          {
            message: {
              title: ['is too long (maximum is 255 characters)'],
              ...MALFORMED.message,
            },
          },
        ],
      ];
      for (const [body, refusal] of cases) {
        expect((await post(body).expect(400)).body).toEqual(refusal);
      }
    }
  });

  it('are of the permitted types, with their fingerprint', async () => {
    const keys = [
      rsa(1024),
      rsa(4096),
      dsa(1024),
      newKey(),
      ec('prime256v1'),
      ec('secp384r1'),
      ec('secp521r1'),
    ];
    for (const key of keys) {
      const given = `  ${key} somebody@a place, "quoted"\t`;
      const answer = await trellis.as(person).post('/user/keys', { title: 'Mine', key: given });
      expect(answer.status).toBe(201);
      const { id } = answer.body as KeyBody;
      expect(answer.body).toEqual({
        id,
        title: 'Mine',
        key: given.trim(),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      const data = Buffer.from(key.split(' ')[1] ?? '', 'base64');
      const md5 = createHash('md5').update(data).digest('hex');
      expect(
        await trellis.rows('SELECT user_id, fingerprint FROM ssh_keys WHERE id = $1', [id]),
      ).toEqual([{ user_id: person.user.id, fingerprint: md5.match(/../g)?.join(':') }]);
    }
  });

  it('may start with zero bytes, which count', async () => {
    const bytes = publicBytes(withLeadingZero().publicKey);
    const whole = withData('ssh-ed25519', bytes);
    const cut = withData('ssh-ed25519', bytes.subarray(1));
    const refused = await trellis.as(person).post('/user/keys', { title: 'x', key: cut });
    expect({ status: refused.status, body: refused.body as unknown }).toEqual({
      status: 400,
      body: MALFORMED,
    });
    const added = await add(person, whole);
    expect(added.key).toBe(whole);
    const data = Buffer.from(whole.split(' ')[1] ?? '', 'base64');
    const md5 = createHash('md5').update(data).digest('hex');
    expect(
      await trellis.rows('SELECT fingerprint FROM ssh_keys WHERE id = $1', [added.id]),
    ).toEqual([{ fingerprint: md5.match(/../g)?.join(':') }]);
  });

  it('are refused when weak, malformed or of another type', async () => {
    const good = newKey();
    const [, data = ''] = good.split(' ');
    const bytes = Buffer.from(data, 'base64');
    const point = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]);
    const refused = [
      'no key at all',
      'ssh-rsa',
      'ssh-rsa AAAA',
      'ssh-rsa !!!!',
      rsa(768),
      `ssh-rsa ${data}`,
      `ssh-dss ${rsa(1024).split(' ')[1] ?? ''}`,
      `sk-ssh-ed25519@openssh.com ${data}`,
      `no-pty,command="rm -rf /" ${good}`,
      `ssh-ed25519 ${data.slice(0, -8)}`,
      `ssh-ed25519 ${Buffer.concat([bytes, Buffer.from('more')]).toString('base64')}`,
      `ssh-ed25519 ${data}!`,
      `ssh-ed25519\u00a0${data}`,
      ec('prime256v1').replace('nistp256', 'nistp384'),
      withData('ecdsa-sha2-nistp256', Buffer.from('nistp256'), point),
      withData('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(0)),
      withData(
        'ssh-rsa',
        Buffer.from([0, 0, 1, 0, 1]),
        Buffer.concat([Buffer.alloc(9), Buffer.alloc(256, 0xa5)]),
      ),
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' }).toString(),
    ].map((key) => key.replaceAll(/[\0\r\n]/g, ' '));
    for (const key of refused) {
      const answer = await trellis.as(other).post('/user/keys', { title: 'x', key });
      expect({ key, body: answer.body as unknown }).toEqual({ key, body: MALFORMED });
      expect(answer.status).toBe(400);
    }
    expect(await ownKeys(other)).toEqual([]);
  });

  it('are limited to one line and in length', async () => {
    const key = newKey();
    const post = (given: string) =>
      trellis.as(other).post('/user/keys', { title: 'x', key: given }).expect(400);
    for (const given of [`${key}\n${newKey()}`, `${key} one\r\ntwo`, key.replace(' ', ' \n')]) {
      expect((await post(given)).body).toEqual({ message: { key: ['should be a single line'] } });
    }
    expect((await post(`${key} ${'c'.repeat(5000)}`)).body).toEqual({
      message: { key: ['is too long (maximum is 5000 characters)'] },
    });
    const longest = `${key} ${'c'.repeat(4999 - key.length)}`;
    expect((await add(other, `\n${longest}\n`)).key).toBe(longest);
  });

  it('of every account are shown to administrators, with the user', async () => {
    const added = await add(person);
    const path = `/keys/${String(added.id)}`;
    await trellis.anonymous.get(path).expect(401);
    const refused = await trellis.as(person).get(path).expect(403);
    expect(refused.body).toEqual({ message: '403 Forbidden' });
    const user = await trellis
      .as(admin)
      .get(`/users/${String(person.user.id)}`)
      .expect(200);
    const read = await trellis.as(admin).get(path).expect(200);
    expect(read.body).toEqual({ ...added, user: user.body as unknown });
    expect((read.body as { user: unknown }).user).toMatchObject({
      username: person.user.username,
      email: person.user.email,
    });

    const project = await trellis.factories.project(other);
    const deploy = await trellis
      .as(other)
      .post(`/projects/${String(project.id)}/deploy_keys`, { title: 'Deploys', key: newKey() })
      .expect(200);
    const { id } = deploy.body as KeyBody;
    const unowned = await trellis
      .as(admin)
      .get(`/keys/${String(id)}`)
      .expect(200);
    expect(unowned.body).toEqual({ ...(deploy.body as KeyBody), user: null });

    const gone = await trellis.factories.user();
    const lost = await add(gone);
    await trellis
      .as(admin)
      .delete(`/users/${String(gone.user.id)}`)
      .expect(200);
    for (const absent of [lost.id, 2_147_483_647, 99_999_999_999]) {
      const answer = await trellis
        .as(admin)
        .get(`/keys/${String(absent)}`)
        .expect(404);
      expect(answer.body).toEqual({ message: '404 Key Not Found' });
    }
    const invalid = await trellis.as(admin).get('/keys/x').expect(400);
    expect(invalid.body).toEqual({ error: 'id is invalid' });
  });

  it('belong to one account, also under concurrency', async () => {
    const key = newKey();
    const answers = await Promise.all([
      trellis.as(person).post('/user/keys', { title: 'mine', key }),
      trellis.as(other).post('/user/keys', { title: 'mine', key: `${key} comment` }),
      trellis.as(person).post('/user/keys', { title: 'again', key }),
      trellis.as(admin).post(pathOf(other), { title: 'theirs', key }),
    ]);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(3);
    for (const { status, body } of refused) {
      expect({ status, body: body as unknown }).toEqual({ status: 400, body: TAKEN });
    }
  });
});
