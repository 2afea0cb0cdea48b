import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import request, { type Test } from 'supertest';
import { type Cast, makeCast, ROLES } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { PNG } from '../../support/sample-files.js';
import { Trellis } from '../../support/trellis.js';

interface UploadBody {
  id: number;
  alt: string;
  url: string;
  full_path: string;
  markdown: string;
}

describe('uploads of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;
  let cast: Cast;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 100 });
    project = await trellis.factories.project(owner);
    cast = await makeCast(trellis);
  }, 120_000);

  const post = (person: Person | null, to: MadeProject, filename: string, content = PNG) =>
    (person === null ? trellis.anonymous : trellis.as(person)).v4
      .call('post', `/projects/${String(to.id)}/uploads`)
      .attach('file', content, { filename });

  const uploaded = async (filename: string, content = PNG): Promise<UploadBody> =>
    (await post(owner, project, filename, content).expect(201)).body as UploadBody;

  const get = (person: Person | null, path: string): Test => {
    const test = request(trellis.url).get(path).buffer(true).parse(bytes);
    return person === null ? test : test.set('PRIVATE-TOKEN', person.token);
  };

  describe('POST /projects/:id/uploads', () => {
    it('requires a credential, a file and a readable project', async () => {
      const { body } = await post(null, project, 'a.png').expect(401);
      expect(body).toEqual({ message: '401 Unauthorized' });
      const route = `/projects/${String(project.id)}/uploads`;
      const missing = await trellis.as(owner).v4.call('post', route).field('name', 'x').expect(400);
      expect(missing.body).toEqual({ error: 'file is missing' });
      const stranger = await trellis.factories.user();
      const hidden = await post(stranger, project, 'a.png').expect(404);
      expect(hidden.body).toEqual({ message: '404 Project Not Found' });
    });

    it('returns both addresses of the file', async () => {
      const image = await uploaded('a map.png');
      const secret = /^\/uploads\/([0-9a-f]{32})\/a_map\.png$/.exec(image.url)?.[1] ?? '';
      expect(image).toEqual({
        id: expect.any(Number) as number,
        alt: 'a_map',
        url: `/uploads/${secret}/a_map.png`,
        full_path: `/-/project/${String(project.id)}/uploads/${secret}/a_map.png`,
        markdown: `![a_map](/uploads/${secret}/a_map.png)`,
      });
      const text = await uploaded('notes.txt');
      expect(text.id).toBeGreaterThan(image.id);
      expect(text.markdown).toBe(`[notes.txt](${text.url})`);
    });

    it('applies the size limit of the settings', async () => {
      const setMaximum = (mib: number) =>
        trellis.rows('UPDATE application_settings SET max_attachment_size = $1', [mib]);
      await setMaximum(1);
      const refused = await post(owner, project, 'a.bin', Buffer.alloc(1024 * 1024 + 1));
      await setMaximum(10);
      expect([refused.status, refused.body]).toEqual([
        413,
        { message: '413 Request Entity Too Large' },
      ]);
    });
  });

  describe('GET /-/project/:id/uploads/:secret/:name', () => {
    it('serves the same bytes and headers as the address below the project', async () => {
      for (const name of ['a.txt', 'a.png']) {
        const { url, full_path: path } = await uploaded(name);
        const below = await get(owner, `/${project.fullPath}${url}`).expect(200);
        const byId = await get(owner, path).expect(200);
        expect(Buffer.compare(byId.body as Buffer, PNG)).toBe(0);
        const headers = (answer: typeof byId) => {
          const { date, 'x-request-id': id, ...others } = answer.headers as Record<string, string>;
          return { ...others, date: typeof date, id: typeof id };
        };
        expect(headers(byId)).toEqual(headers(below));
        const part = await get(owner, path).set('Range', 'bytes=1-3').expect(206);
        expect((part.body as Buffer).toString()).toBe('PNG');
        expect(
          (await request(trellis.url).head(path).set('PRIVATE-TOKEN', owner.token)).status,
        ).toBe(200);
      }
    });

    it('admits the same callers', async () => {
      const { projects, people } = cast;
      for (const visibility of [0, 10, 20] as const) {
        for (const name of ['a.txt', 'a.png']) {
          const answer = await post(people.master, projects[visibility], name).expect(201);
          const { url, full_path: path } = answer.body as UploadBody;
          for (const role of ROLES) {
            const below = await get(people[role], `/${projects[visibility].fullPath}${url}`);
            const { status } = await get(people[role], path);
            expect([visibility, name, role, status]).toEqual([
              visibility,
              name,
              role,
              below.status,
            ]);
          }
        }
      }
    });

    it('accepts a token in the query, and basic authentication', async () => {
      const { full_path: path } = await uploaded('a.txt');
      await get(null, path).expect(404);
      await get(null, `${path}?private_token=${owner.token}`).expect(200);
      await get(null, path).auth('oauth2', owner.token).expect(200);
      await get(null, path).auth(owner.user.username, 'wrong').expect(404);
    });

    it('stays when the project is moved', async () => {
      const moved = await trellis.factories.project(owner);
      const answer = await post(owner, moved, 'a.txt').expect(201);
      const { full_path: path } = answer.body as UploadBody;
      await trellis
        .as(owner)
        .v4.put(`/projects/${String(moved.id)}`, { path: `new-${moved.path}` })
        .expect(200);
      await get(owner, path).expect(200);
    });

    it('returns 404 for another project, secret or name', async () => {
      const { url, full_path: path } = await uploaded('a.png');
      const other = await trellis.factories.project(owner);
      for (const wrong of [
        `/-/project/${String(other.id)}${url}`,
        `/-/project/0${url}`,
        `/-/project/99999999999999${url}`,
        `/-/project/${encodeURIComponent(project.fullPath)}${url}`,
        `/-/project/x${url}`,
        path.replace(/[0-9a-f]{32}/, '0'.repeat(32)),
        `${path}.png`,
        path.replace('a.png', '..%2Fa.png'),
        `/-/project/${String(project.id)}/uploads`,
      ]) {
        expect([wrong, (await get(owner, wrong)).status]).toEqual([wrong, 404]);
      }
    });
  });
});

function bytes(response: object, done: (error: Error | null, body: Buffer) => void): void {
  buffer(response as Readable).then(
    (body) => done(null, body),
    (error: unknown) => done(error as Error, Buffer.alloc(0)),
  );
}
