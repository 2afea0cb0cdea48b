import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer, json } from 'node:stream/consumers';
import request, { type Test } from 'supertest';
import { hashedFolder } from '../../../src/modules/storage/repositories/hashed-folders.js';
import { RemoveOrphanedUploadsJob } from '../../../src/modules/projects/lifecycle/deletion/remove-orphaned-uploads.job.js';
import { type Cast, makeCast, ROLES, type Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { GIF, HTML, MP4, PNG, SVG } from '../../support/sample-files.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

const NOT_FOUND = { error: '404 Not Found' };

describe('GET /:namespace/:project/uploads/:secret/:name', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;
  let shown: MadeProject;
  let cast: Cast;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    project = await trellis.factories.project(owner);
    shown = await trellis.factories.project(owner, { visibilityLevel: 20 });
    cast = await makeCast(trellis);
  }, 120_000);
  afterAll(() => trellis.restore());

  /** Uploads and answers the address of the file below the project's. */
  async function upload(
    to: MadeProject,
    filename: string,
    content: Buffer,
    person = owner,
  ): Promise<string> {
    const { body } = await trellis
      .as(person)
      .call('post', `/projects/${String(to.id)}/uploads`)
      .attach('file', content, { filename })
      .expect(200);
    return `/${to.fullPath}${(body as { url: string }).url}`;
  }

  const get = (path: string): Test => request(trellis.url).get(path).buffer(true).parse(bytes);

  const as = (person: Person | null, path: string): Test =>
    person === null ? get(path) : get(path).set('PRIVATE-TOKEN', person.token);

  it('returns the uploaded bytes, with headers that prevent execution', async () => {
    const url = await upload(shown, 'notes.txt', Buffer.from('some text'));
    const answer = await get(url).expect(200);
    expect((answer.body as Buffer).toString()).toBe('some text');
    const headers = answer.headers as Record<string, string>;
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '9',
      'content-disposition': 'attachment; filename=notes.txt',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      etag: `"${url.split('/').at(-2) ?? ''}"`,
    });
    expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
  });

  it.each([
    ['a.png', PNG, 'image/png', 'inline'],
    ['a.GIF', GIF, 'image/gif', 'inline'],
    ['a.mp4', MP4, 'video/mp4', 'inline'],
    // By the content, where both are images.
    ['a.jpg', PNG, 'image/png', 'inline'],
    ['a.png', HTML, 'application/octet-stream', 'attachment; filename=a.png'],
    ['a.png', SVG, 'application/octet-stream', 'attachment; filename=a.png'],
    ['a.png', Buffer.alloc(0), 'application/octet-stream', 'attachment; filename=a.png'],
    ['a.webm', PNG, 'application/octet-stream', 'attachment; filename=a.webm'],
    ['a.svg', SVG, 'application/octet-stream', 'attachment; filename=a.svg'],
    ['a.html', HTML, 'application/octet-stream', 'attachment; filename=a.html'],
    ['a.xhtml', HTML, 'application/octet-stream', 'attachment; filename=a.xhtml'],
    ['a.xml', SVG, 'application/octet-stream', 'attachment; filename=a.xml'],
    ['a.js', HTML, 'application/octet-stream', 'attachment; filename=a.js'],
    ['a.html', PNG, 'application/octet-stream', 'attachment; filename=a.html'],
    ['png', PNG, 'application/octet-stream', 'attachment; filename=png'],
    ['a.pdf', HTML, 'application/pdf', 'attachment; filename=a.pdf'],
    ['a.tar.gz', HTML, 'application/gzip', 'attachment; filename=a.tar.gz'],
    ['.htaccess', HTML, 'application/octet-stream', 'attachment; filename=.htaccess'],
  ])(
    'returns %s with type and disposition by name and content',
    async (name, content, type, disposition) => {
      const answer = await get(await upload(shown, name, content)).expect(200);
      expect(Buffer.compare(answer.body as Buffer, content)).toBe(0);
      expect(answer.headers).toMatchObject({
        'content-type': type,
        'content-disposition': disposition,
        'x-content-type-options': 'nosniff',
      });
    },
  );

  it('encodes names that are not ASCII', async () => {
    const url = encodeURI(await upload(shown, 'grüße.txt', PNG));
    const answer = await get(url).expect(200);
    expect(answer.headers['content-disposition']).toContain("filename*=UTF-8''gr%C3%BC%C3%9Fe.txt");
  });

  it('supports ranges and conditional requests', async () => {
    const url = await upload(shown, 'notes.txt', Buffer.from('0123456789'));
    const part = await get(url).set('Range', 'bytes=2-4').expect(206);
    expect((part.body as Buffer).toString()).toBe('234');
    expect(part.headers).toMatchObject({ 'content-range': 'bytes 2-4/10', 'content-length': '3' });
    const beyond = await get(url).set('Range', 'bytes=20-30').expect(416);
    expect(beyond.headers['content-range']).toBe('bytes */10');
    expect(beyond.headers['content-disposition']).toBeUndefined();
    const { etag } = part.headers as { etag: string };
    const known = await get(url).set('If-None-Match', etag).expect(304);
    expect((known.body as Buffer).length).toBe(0);
    await get(url).set('If-Match', '"another"').expect(412);
    const head = await request(trellis.url).head(url).expect(200);
    expect(head.headers).toMatchObject({ 'content-length': '10', etag });
    expect(head.text).toBeUndefined();
  });

  it('shows images and videos to every caller, other files to readers of the project', async () => {
    const { projects, people } = cast;
    const seeing: Record<number, (role: Role) => boolean> = {
      0: (role) => !/anonymous|stranger|^external$|former/.test(role),
      10: (role) => !/anonymous|^external$/.test(role),
      20: () => true,
    };
    for (const visibility of [0, 10, 20] as const) {
      const master = people.master as Person;
      const text = await upload(projects[visibility], 'a.txt', PNG, master);
      const image = await upload(projects[visibility], 'a.png', PNG, master);
      for (const role of ROLES) {
        const statuses = [
          (await as(people[role], image)).status,
          (await as(people[role], text)).status,
        ];
        const expected =
          role === 'blocked' ? [404, 404] : [200, seeing[visibility]?.(role) === true ? 200 : 404];
        expect([visibility, role, ...statuses]).toEqual([visibility, role, ...expected]);
      }
    }
  });

  it('accepts tokens and basic authentication', async () => {
    const url = await upload(project, 'a.txt', PNG);
    const { username, email } = owner.user;
    const basic = (login: string, secret: string) => get(url).auth(login, secret);
    await get(url).set('Authorization', `Bearer ${owner.token}`).expect(200);
    await get(`${url}?private_token=${owner.token}`).expect(200);
    await basic(username, owner.password).expect(200);
    await basic(username, owner.token).expect(200);
    await basic('oauth2', owner.token).expect(200);
    await basic(email, owner.password).expect(200);
    for (const refused of [
      get(url),
      basic(username, 'no password of theirs'),
      basic('oauth2', 'no token of theirs'),
      get(`${url}?private_token=${'x'.repeat(20)}`),
      get(url).set('PRIVATE-TOKEN', 'x').auth(username, owner.token),
    ]) {
      expect((await refused.parse(text).expect(404)).body).toEqual(NOT_FOUND);
    }
  });

  it('returns 404 for an invalid credential', async () => {
    const image = await upload(shown, 'a.png', PNG);
    await get(image).expect(200);
    await get(image).set('PRIVATE-TOKEN', 'x').expect(404);
    await get(image).auth(owner.user.username, 'wrong').expect(404);
  });

  it('returns 404 for another name, secret, project or path', async () => {
    const url = await upload(shown, 'a.txt', PNG);
    const [, namespace = '', path = '', , secret = '', name = ''] = url.split('/');
    const base = `/${namespace}/${path}/uploads`;
    const other = await trellis.factories.project(owner, { visibilityLevel: 20 });
    for (const wrong of [
      `${base}/${secret}/b.txt`,
      `${base}/${secret}/A.TXT`,
      `${base}/${secret}/.`,
      `${base}/${secret}/..%2F${secret}%2F${name}`,
      `${base}/${secret}/%2e%2e%2f${secret}%2fa.txt`,
      `${base}/${secret}/..%5Ca.txt`,
      `${base}/${secret}/a.txt%20`,
      `${base}/${secret.toUpperCase()}/${name}`,
      `${base}/${secret.slice(1)}/${name}`,
      `${base}/${'0'.repeat(32)}/${name}`,
      `${base}/..%2F${secret}/${name}`,
      `${base}/@incoming/${name}`,
      `${base}/%2e%2e%2f%2e%2e/${name}`,
      `/${other.fullPath}/uploads/${secret}/${name}`,
      `/${namespace}/no-such-project/uploads/${secret}/${name}`,
      `/${namespace}/${String(shown.id)}/uploads/${secret}/${name}`,
      `/api/v3/uploads/${secret}/${name}`,
    ]) {
      const answer = await get(wrong).parse(text);
      expect([wrong, answer.status, answer.body]).toEqual([wrong, 404, NOT_FOUND]);
    }
    await get(`${base}/${secret}/a.txt%00`).expect(400);
    await get(`${base}/${secret}/%zz`).expect(400);
    const verb = await request(trellis.url).post(url).expect(405);
    expect(verb.headers['allow']).toBe('GET, HEAD');
    await get(`/${namespace.toUpperCase()}/${path.toUpperCase()}/uploads/${secret}/${name}`).expect(
      200,
    );
  });

  it('follows a move of the project', async () => {
    const moved = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const url = await upload(moved, 'a.png', PNG);
    const path = `new-${moved.path}`;
    await trellis
      .as(owner)
      .put(`/projects/${String(moved.id)}`, { path })
      .expect(200);
    await get(url).expect(404);
    await get(url.replace(`/${moved.path}/`, `/${path}/`)).expect(200);
  });

  it('is removed with the project', async () => {
    const gone = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const url = await upload(gone, 'a.png', PNG);
    await get(url).expect(200);
    await trellis
      .as(owner)
      .delete(`/projects/${String(gone.id)}`)
      .expect(200);
    await get(url).expect(404);
    await until(async () => (await projectFolders()).every((id) => id !== String(gone.id)));
  });

  it('removes old incomplete uploads, and folders without a project', async () => {
    const url = await upload(shown, 'kept.png', PNG);
    const incoming = join(trellis.dataDir, 'uploads/@incoming');
    for (const name of ['long-ago', 'just-now']) {
      await mkdir(join(incoming, name));
      await writeFile(join(incoming, name, 'x.bin'), 'half');
    }
    await utimes(join(incoming, 'long-ago'), 0, 0);
    const orphan = join(hashedFolder(join(trellis.dataDir, 'uploads'), 999_999), '999999');
    await mkdir(join(orphan, 'secret'), { recursive: true });
    const { signal } = new AbortController();
    await trellis.app.get(RemoveOrphanedUploadsJob).handle({}, { jobId: '1', attempt: 1, signal });
    expect(await readdir(incoming)).toEqual(['just-now']);
    expect(await projectFolders()).not.toContain('999999');
    await get(url).expect(200);
  });

  /** The IDs of the projects that have a folder for uploads. */
  const projectFolders = async () =>
    (await readdir(join(trellis.dataDir, 'uploads/@hashed'), { recursive: true })).map((path) =>
      basename(path),
    );
});

function bytes(response: object, done: (error: Error | null, body: Buffer) => void): void {
  buffer(response as Readable).then(
    (body) => done(null, body),
    (error: unknown) => done(error as Error, Buffer.alloc(0)),
  );
}

function text(response: object, done: (error: Error | null, body: unknown) => void): void {
  json(response as Readable).then(
    (body) => done(null, body),
    (error: unknown) => done(error as Error, null),
  );
}
