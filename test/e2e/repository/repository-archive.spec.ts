import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { archiveMadeByGit, unpacked } from '../../support/archives.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

/** How the files of a compression begin. */
const GZIP = '\x1f\x8b';
const BZIP2 = 'BZh';
/** More than git processes that run at once. */
const ROUNDS = 10;

describe('GET repository/archive', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;
  let head: string;
  let scratch: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make();
    const { work } = pushed;
    scratch = path.join(trellis.dataDir, 'scratch');
    await mkdir(scratch);
    await mkdir(path.join(work.folder, 'dir'));
    await writeFile(path.join(work.folder, 'dir/ünü "x"\n'), 'odd\n');
    await symlink('../file.txt', path.join(work.folder, 'dir/link'));
    // More than one block of bzip2, not all of it easily compressed.
    const text = Array.from({ length: 150_000 }, (_, n) => `${String((n * 7919) % 104_729)}\n`);
    await writeFile(path.join(work.folder, 'large.txt'), text.join(''));
    head = await work.commit('More');
    await work.git('tag', 'release/v1');
    expect((await work.push('HEAD:refs/heads/master', 'release/v1')).code).toBe(0);
  });
  afterAll(async () => {
    await rm(scratch, { recursive: true, force: true });
    await projects.remove();
  });

  const get = (place: string, init: RequestInit = {}) =>
    fetch(`${trellis.url}/api/v3/projects/${String(pushed.project.id)}/repository/${place}`, {
      ...init,
      headers: { 'PRIVATE-TOKEN': owner.token },
    });

  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

  /** The same archive as plain git makes it. */
  const madeByGit = (format: 'tar' | 'zip', folder: string) =>
    archiveMadeByGit(pushed.work.folder, scratch, { format, folder, commit: head });

  it.each([
    ['archive', 'tar.gz', 'application/gzip'],
    ['archive.tar.bz2', 'tar.bz2', 'application/x-bzip2'],
    ['archive.tar', 'tar', 'application/x-tar'],
    ['archive.zip', 'zip', 'application/zip'],
  ])('%s matches git archive', async (place, extension, mediaType) => {
    const answer = await get(place);
    const folder = `${pushed.project.path}-master-${head}`;
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(mediaType);
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename=${folder}.${extension}`,
    );
    const packed = await bytesOf(answer);
    const archive = await unpacked(extension, packed, scratch);
    const expected = await madeByGit(extension === 'zip' ? 'zip' : 'tar', folder);
    expect(archive.equals(expected)).toBe(true);
  });

  it.each([
    ['archive.tar.gz', 'tar.gz', 'application/gzip', GZIP],
    ['archive.tgz', 'tar.gz', 'application/gzip', GZIP],
    ['archive.gz', 'tar.gz', 'application/gzip', GZIP],
    ['archive.tbz', 'tar.bz2', 'application/x-bzip2', BZIP2],
    ['archive.tbz2', 'tar.bz2', 'application/x-bzip2', BZIP2],
    ['archive.tb2', 'tar.bz2', 'application/x-bzip2', BZIP2],
    ['archive.bz2', 'tar.bz2', 'application/x-bzip2', BZIP2],
  ])('%s is an alias of %s', async (place, extension, mediaType, beginning) => {
    const answer = await get(place);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, mediaType]);
    expect(answer.headers.get('content-disposition')).toMatch(
      new RegExp(`${head}\\.${extension}$`),
    );
    const reader = answer.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    expect(Buffer.from(value!).toString('latin1', 0, beginning.length)).toBe(beginning);
  });

  it.each(['release/v1', 'a hash'])('names the folder after the revision (%s)', async (name) => {
    const rev = name === 'a hash' ? head.slice(0, 12) : name;
    const answer = await get(`archive.tar?sha=${encodeURIComponent(rev)}`);
    const folder = `${pushed.project.path}-${rev.replace('/', '-')}-${head}`;
    expect(answer.headers.get('content-disposition')).toContain(`${folder}.tar`);
    expect((await bytesOf(answer)).equals(await madeByGit('tar', folder))).toBe(true);
  });

  it('returns 404 for unknown revisions and other formats', async () => {
    const base = `/projects/${String(pushed.project.id)}/repository`;
    const unknown = await trellis.as(owner).get(`${base}/archive.zip?sha=absent`).expect(404);
    expect(unknown.body).toEqual({ message: '404 File Not Found' });
    for (const suffix of ['rar', 'tar.xz', 'constructor', 'zip.zip', '..']) {
      const answer = await get(`archive.${suffix}`);
      expect([suffix, answer.status]).toEqual([suffix, 404]);
      expect(await answer.json()).toEqual({ error: '404 Not Found' });
    }
  });

  it('stops git when clients disconnect, or request only headers', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const gone = new AbortController();
      const answer = await get('archive.tar.bz2', { signal: gone.signal });
      expect(answer.status).toBe(200);
      gone.abort();
      expect((await get('archive', { method: 'HEAD' })).status).toBe(200);
    }
    // All places are free again.
    const answers = await Promise.all(Array.from({ length: ROUNDS }, () => get('archive.tar')));
    for (const answer of answers) expect((await bytesOf(answer)).length).toBeGreaterThan(800_000);
  });
});
