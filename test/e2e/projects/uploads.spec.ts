import { readdir } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import path from 'node:path';
import { type Cast, makeCast, ROLES } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { answerTo, END, filePart, sendParts } from '../../support/raw-upload.js';
import { PNG } from '../../support/sample-files.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

const MIB = 1024 * 1024;

interface UploadBody {
  alt: string;
  url: string;
  markdown: string;
}

describe('POST /projects/:id/uploads', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;
  let route: string;
  let cast: Cast;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    project = await trellis.factories.project(owner);
    route = `/projects/${String(project.id)}/uploads`;
    cast = await makeCast(trellis);
  }, 120_000);
  afterEach(() => setMaximum(10));

  const upload = (person: Person | null, to: string, content: Buffer, filename: string) =>
    (person === null ? trellis.anonymous : trellis.as(person))
      .call('post', to)
      .attach('file', content, { filename });

  const uploaded = async (filename: string, content = Buffer.from('x')): Promise<UploadBody> =>
    (await upload(owner, route, content, filename).expect(200)).body as UploadBody;

  const setMaximum = (mib: number) =>
    trellis.rows('UPDATE application_settings SET max_attachment_size = $1', [mib]);
  afterAll(() => setMaximum(10));

  /** The names of the files that are about to arrive; null when one went while they were read. */
  const arriving = () =>
    readdir(path.join(trellis.dataDir, 'uploads/@incoming'), { recursive: true }).catch(() => null);

  const nothingArriving = () => until(async () => (await arriving())?.length === 0);

  it('requires a credential, and stores nothing without one', async () => {
    const answer = await upload(null, route, PNG, 'a.png').expect(401);
    expect(answer.body).toEqual({ message: '401 Unauthorized' });
    const unknown = await trellis
      .as({ token: 'no-such-token' })
      .call('post', route)
      .attach('file', PNG, 'a.png')
      .expect(401);
    expect(unknown.body).toEqual({ message: '401 Unauthorized' });
    await nothingArriving();
  });

  it('returns 400 without a file', async () => {
    const call = () => trellis.as(owner).call('post', route);
    const missing = { error: 'file is missing' };
    const invalid = { error: 'file is invalid' };
    expect((await call().expect(400)).body).toEqual(missing);
    expect((await call().send({}).expect(400)).body).toEqual(missing);
    expect((await call().field('name', 'x').expect(400)).body).toEqual(missing);
    expect((await call().attach('files', PNG, 'a.png').expect(400)).body).toEqual(missing);
    expect((await call().field('file', 'text').expect(400)).body).toEqual(invalid);
    expect((await call().type('form').send({ file: '/etc/passwd' }).expect(400)).body).toEqual(
      invalid,
    );
    const pretended = { file: { filename: 'a.png', path: '/etc/passwd' } };
    expect((await call().send(pretended).expect(400)).body).toEqual(invalid);
    expect(
      (
        await call()
          .send({ file: ['x'] })
          .expect(400)
      ).body,
    ).toEqual(invalid);
    const missingProject = await upload(owner, '/projects/0/uploads', PNG, 'a.png').expect(404);
    expect(missingProject.body).toEqual({ message: '404 Project Not Found' });
    await trellis.as(owner).call('post', '/projects/%/uploads').expect(400);
    await nothingArriving();
  });

  it('refuses parts without a file name, and malformed bodies', async () => {
    const disposition = 'Content-Disposition: form-data; name="file"; filename=""';
    const blank = Buffer.from(`--x\r\n${disposition}\r\n\r\n`);
    const nameless = send([blank, Buffer.from('content'), END]);
    expect(await answerTo(nameless)).toEqual([400, { error: 'file is invalid' }]);
    const dots = send([filePart('..'), Buffer.from('content'), END]);
    expect(await answerTo(dots)).toEqual([400, { error: 'file is invalid' }]);
    const zero = send([filePart('a\0.png'), PNG, END]);
    expect(await answerTo(zero)).toEqual([400, { error: 'file is invalid' }]);
    const cut = send([filePart('a.png'), PNG]);
    const malformed = { error: 'The request body is not valid form data' };
    expect(await answerTo(cut)).toEqual([400, malformed]);
    await nothingArriving();
  });

  it('requires a readable project', async () => {
    const { projects, people } = cast;
    const seeing = {
      0: ROLES.filter((role) => !/anonymous|stranger|^external$|blocked|former/.test(role)),
      10: ROLES.filter((role) => !/anonymous|^external$|blocked/.test(role)),
      20: ROLES.filter((role) => !/anonymous|blocked/.test(role)),
    };
    for (const visibility of [0, 10, 20] as const) {
      const to = `/projects/${encodeURIComponent(projects[visibility].fullPath)}/uploads`;
      for (const role of ROLES) {
        const { status } = await upload(people[role], to, PNG, 'a.png');
        const refused = role === 'anonymous' || role === 'blocked' ? 401 : 404;
        const expected = seeing[visibility].includes(role) ? 200 : refused;
        expect([visibility, role, status]).toEqual([visibility, role, expected]);
      }
    }
    await nothingArriving();
  });

  it('returns a new address for each upload of the same file', async () => {
    const bodies = await Promise.all([1, 2, 3, 4].map(() => uploaded('same.png', PNG)));
    expect(new Set(bodies.map(({ url }) => url)).size).toBe(4);
  });

  it('applies the current size limit', async () => {
    await setMaximum(1);
    await upload(owner, route, Buffer.alloc(MIB), 'fits.bin').expect(200);
    const refused = await upload(owner, route, Buffer.alloc(MIB + 1), 'larger.bin').expect(413);
    expect(refused.body).toEqual({ message: '413 Request Entity Too Large' });
    await upload(owner, route, Buffer.alloc(3 * MIB), 'larger.bin').expect(413);
    // Of a size that is not announced.
    const streamed = send([filePart('x.bin'), Buffer.alloc(2 * MIB), END]);
    expect(await answerTo(streamed)).toEqual([413, refused.body]);
    await setMaximum(30);
    await upload(owner, route, Buffer.alloc(25 * MIB), 'fits.bin').expect(200);
    await nothingArriving();
  });

  it('removes the data of a client that disconnects', async () => {
    const outgoing = send([filePart('x.bin'), Buffer.alloc(MIB)], { end: false });
    await until(async () => (await arriving())?.some((name) => name.endsWith('x.bin')));
    outgoing.destroy();
    await nothingArriving();
  });

  it('stores only the last of several files', async () => {
    const answer = await trellis
      .as(owner)
      .call('post', route)
      .attach('file', Buffer.from('1'), 'first.txt')
      .attach('other', Buffer.from('2'), 'other.txt')
      .attach('file', Buffer.from('3'), 'last.txt')
      .expect(200);
    expect(path.basename((answer.body as UploadBody).url)).toBe('last.txt');
    await nothingArriving();
  });

  it('finds the credential in any field of the form', async () => {
    for (const field of ['before', 'after']) {
      const call = trellis.anonymous.call('post', route);
      if (field === 'before') call.field('private_token', owner.token);
      call.attach('file', PNG, 'a.png');
      if (field === 'after') call.field('private_token', owner.token);
      await call.expect(200);
    }
    const query = await trellis.anonymous
      .call('post', `${route}?private_token=${owner.token}`)
      .attach('file', PNG, 'a.png');
    expect(query.status).toBe(200);
    // The parameter counts before the header.
    await trellis
      .as({ token: 'no-such-token' })
      .call('post', route)
      .field('private_token', owner.token)
      .attach('file', PNG, 'a.png')
      .expect(200);
  });

  it('acts as the sudo user of an administrator', async () => {
    const admin = await trellis.factories.admin();
    const stranger = await trellis.factories.user();
    const as = (username: string) =>
      upload(admin, route, PNG, 'a.png')
        .set('SUDO', username)
        .then(({ status }) => status);
    expect(await as(owner.user.username)).toBe(200);
    expect(await as(stranger.user.username)).toBe(404);
  });

  it('limits the buffered files of unauthenticated requests', async () => {
    const held: ClientRequest[] = [];
    for (let sent = 0; sent < 8; sent += 1) {
      held.push(
        send([filePart(`x${String(sent)}.bin`), Buffer.alloc(1000)], { token: null, end: false }),
      );
    }
    await until(
      async () => (await arriving())?.filter((name) => name.endsWith('.bin')).length === 8,
    );
    const one = send([filePart('y.bin'), END], { token: null });
    expect((await answerTo(one))[0]).toBe(401);
    const crowded = await trellis.anonymous
      .call('post', route)
      .attach('file', PNG, 'a.png')
      .field('private_token', owner.token)
      .expect(429);
    expect(crowded.headers['retry-after']).toBe('5');
    await upload(owner, route, PNG, 'a.png').expect(200);
    for (const outgoing of held) outgoing.destroy();
    await nothingArriving();
    await trellis.anonymous
      .call('post', route)
      .attach('file', PNG, 'a.png')
      .field('private_token', owner.token)
      .expect(200);
  });

  it('takes a fixed number of statements', async () => {
    const measure = (size: number) =>
      trellis.statements.during(() => uploaded('x.bin', Buffer.alloc(size)));
    const small = await measure(1);
    const large = await measure(5 * MIB);
    // Who sends more than anybody may is looked up before the rest is read.
    expect(large).toHaveLength(small.length + 1);
    expect(small.length).toBeLessThanOrEqual(6);
  });

  /** Sends parts of a body without announcing its size. */
  const send = (parts: readonly Buffer[], { token = owner.token, end = true }: Sending = {}) =>
    sendParts({ url: `${trellis.url}/api/v3${route}`, token, parts, end });
});

interface Sending {
  token?: string | null;
  end?: boolean;
}
