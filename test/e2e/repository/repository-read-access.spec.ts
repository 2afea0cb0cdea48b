import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

/** Every question about the content of a repository, with what it needs to be answered. */
const QUESTIONS = [
  'commits',
  'commits/master',
  'commits/master/diff',
  'commits/master/blob?filepath=file.txt',
  'branches',
  'branches/master',
  'tags',
  'tags/v1',
  'tree',
  'blobs/master?filepath=file.txt',
  'files?file_path=file.txt&ref=master',
  'compare?from=master&to=master',
  'contributors',
  'archive',
  'archive.zip',
];

/** Names that mean nothing in any repository, or harm in a careless one. */
const HOSTILE_NAMES = [
  '-oProxyCommand=x',
  '--upload-pack=touch',
  '--output=x',
  '../../x',
  'HEAD@{1}',
  'master^3',
  'master^{tree}',
  'master:file.txt',
  ':/First',
  'refs/heads/a..b',
  '.git/config',
  'a\nb',
  'a"b\'c`d`$(e)',
  'ünbekannt',
  'x'.repeat(4000),
  '0'.repeat(40),
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
];

describe('read access to a repository', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let secret: PushedProject;
  let open: PushedProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    secret = await projects.make();
    open = await projects.make({ visibilityLevel: 20 });
    for (const { work } of [secret, open]) {
      await work.git('tag', 'v1');
      expect((await work.push('v1')).code).toBe(0);
    }
  });
  afterAll(() => projects.remove());

  const base = ({ project }: PushedProject) => `/projects/${String(project.id)}/repository`;
  const blobOf = ({ work }: PushedProject) => work.git('rev-parse', 'HEAD:file.txt');

  it.each([...QUESTIONS, 'raw_blobs/:sha'])(
    '%s requires the right to read code',
    async (question) => {
      const place = async (project: PushedProject) =>
        `${base(project)}/${question.replace(':sha', await blobOf(project))}`;
      const statusFor = async (person: Person, project: PushedProject) => {
        const url = `${trellis.url}/api/v3${await place(project)}`;
        const answer = await fetch(url, { headers: { 'PRIVATE-TOKEN': person.token } });
        await answer.arrayBuffer();
        return answer.status;
      };
      const person = await trellis.factories.user();
      await trellis.anonymous.get(await place(open)).expect(401);
      const hidden = await trellis
        .as(person)
        .get(await place(secret))
        .expect(404);
      expect(hidden.body).toEqual({ message: '404 Project Not Found' });
      expect(await statusFor(person, open)).toBe(200);
      await trellis.factories.addToProject(secret.project, person, 10);
      await trellis
        .as(person)
        .get(await place(secret))
        .expect(403);
      await trellis.rows('UPDATE project_members SET access_level = 20 WHERE user_id = $1', [
        person.user.id,
      ]);
      expect(await statusFor(person, secret)).toBe(200);
    },
  );

  it.each(HOSTILE_NAMES)('finds nothing under the revision %p', async (name) => {
    const asOwner = trellis.as(owner);
    const sha = encodeURIComponent(name);
    const expected: [path: string, message: string][] = [
      [`commits/${sha}`, '404 Commit Not Found'],
      [`commits/${sha}/diff`, '404 Commit Not Found'],
      [`commits/${sha}/blob?filepath=file.txt`, '404 Commit Not Found'],
      [`blobs/${sha}?filepath=file.txt`, '404 Commit Not Found'],
      [`raw_blobs/${sha}`, '404 Blob Not Found'],
      [`files?file_path=file.txt&ref=${sha}`, '404 Commit Not Found'],
      [`tree?ref_name=${sha}`, '404 Tree Not Found'],
      [`archive?sha=${sha}`, '404 File Not Found'],
      [`compare?from=${sha}&to=master`, '404 Not Found'],
      [`compare?from=master&to=${sha}`, '404 Not Found'],
      [`tags/${sha}`, '404 Tag Not Found'],
      [`branches/${sha}`, '404 Branch Not Found'],
    ];
    for (const [path, message] of expected) {
      const answer = await asOwner.get(`${base(secret)}/${path}`);
      expect([path, answer.status, answer.body]).toEqual([path, 404, { message }]);
    }
    const list = await asOwner.get(`${base(secret)}/commits?ref_name=${sha}`).expect(200);
    expect(list.body).toEqual([]);
  });

  it.each(HOSTILE_NAMES.slice(0, -2))('finds nothing under the path %p', async (name) => {
    const asOwner = trellis.as(owner);
    const path = encodeURIComponent(name);
    for (const place of [`blobs/master?filepath=${path}`, `files?ref=master&file_path=${path}`]) {
      const answer = await asOwner.get(`${base(secret)}/${place}`).expect(404);
      expect(answer.body).toEqual({ message: '404 File Not Found' });
    }
    for (const place of [`tree?path=${path}`, `commits?path=${path}`]) {
      expect((await asOwner.get(`${base(secret)}/${place}`).expect(200)).body).toEqual([]);
    }
  });

  it('returns empty results for a repository without a commit', async () => {
    const empty = await trellis.factories.project(owner);
    const asOwner = trellis.as(owner);
    const place = `/projects/${String(empty.id)}/repository`;
    for (const list of ['commits', 'branches', 'tags', 'contributors']) {
      const answer = await asOwner.get(`${place}/${list}`).expect(200);
      expect(answer.body).toEqual([]);
      expect(answer.headers).toMatchObject({ 'x-total': '0' });
    }
    const missing: [path: string, message: string][] = [
      ['tree', '404 Tree Not Found'],
      ['archive', '404 File Not Found'],
      ['archive.tar.bz2', '404 File Not Found'],
      ['commits/master', '404 Commit Not Found'],
      ['commits/master/diff', '404 Commit Not Found'],
      ['blobs/master?filepath=x', '404 Commit Not Found'],
      ['files?ref=master&file_path=x', '404 Commit Not Found'],
      ['compare?from=master&to=master', '404 Not Found'],
    ];
    for (const [path, message] of missing) {
      expect((await asOwner.get(`${place}/${path}`).expect(404)).body).toEqual({ message });
    }
  });

  it('returns parameter errors before it looks for the project', async () => {
    const asOwner = trellis.as(owner);
    const wrong: [path: string, error: string][] = [
      ['blobs/master', 'filepath is missing'],
      ['commits/master/blob', 'filepath is missing'],
      ['files', 'file_path is missing, ref is missing'],
      ['compare', 'from is missing, to is missing'],
      ['tree?recursive=perhaps', 'recursive is invalid'],
      ['tree?path[]=a', 'path is invalid'],
      ['archive?sha[a]=1', 'sha is invalid'],
      ['commits/master/diff?page=x', 'page is invalid'],
      ['tags?per_page=x', 'per_page is invalid'],
    ];
    for (const [path, error] of wrong) {
      const answer = await asOwner.get(`/projects/999999/repository/${path}`).expect(400);
      expect([path, answer.body]).toEqual([path, { error }]);
    }
  });
});
