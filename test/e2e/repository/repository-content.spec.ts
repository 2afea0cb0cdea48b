import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { git } from '../../unit/git/support/workshop.js';
import { Trellis } from '../../support/trellis.js';
import { makeVaried, ODD, SUBMODULE, type VariedProject } from '../../support/varied-project.js';

describe('the content of a repository', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: VariedProject;
  let base: string;
  let head: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    pushed = await makeVaried(projects);
    ({ base, head } = pushed);
  });
  afterAll(() => projects.remove());

  const raw = (place: string, init: RequestInit = {}) =>
    fetch(`${trellis.url}/api/v3${base}/${place}`, {
      ...init,
      headers: { 'PRIVATE-TOKEN': owner.token },
    });

  describe('GET tree', () => {
    const shown = (body: unknown) =>
      (body as { type: string; path: string }[]).map((entry) => `${entry.type} ${entry.path}`);

    it('lists folders, then files, then submodules', async () => {
      const answer = await trellis.as(owner).get(`${base}/tree`).expect(200);
      expect(shown(answer.body)).toEqual([
        'tree docs',
        'blob file.txt',
        'blob image.bin',
        'blob latin1.txt',
        'blob link',
        `blob ${ODD}`,
        'blob run.sh',
        'blob zz.txt',
        'commit module',
      ]);
      const list = answer.body as unknown[];
      const id = async (name: string) => pushed.work.git('rev-parse', `${head}:${name}`);
      expect(list[0]).toEqual({
        id: await id('docs'),
        name: 'docs',
        type: 'tree',
        path: 'docs',
        mode: '040000',
      });
      expect(list[6]).toEqual({
        id: await id('run.sh'),
        name: 'run.sh',
        type: 'blob',
        path: 'run.sh',
        mode: '100755',
      });
      expect(list[8]).toMatchObject({ id: SUBMODULE, mode: '160000' });
    });

    it('lists a folder of a revision, and what is below it', async () => {
      const get = async (query: string) =>
        shown((await trellis.as(owner).get(`${base}/tree?${query}`).expect(200)).body);
      expect(await get('path=docs&ref_name=feature/slash')).toEqual(['tree docs/deep']);
      expect(await get('path=docs/')).toEqual(['tree docs/deep']);
      expect(await get('path=%2F')).toEqual(await get(''));
      expect(await get('path=docs&recursive=true')).toEqual([
        'tree docs/deep',
        'blob docs/deep/page.md',
      ]);
      expect((await get('recursive=1')).slice(0, 4)).toEqual([
        'tree docs',
        'tree docs/deep',
        'blob docs/deep/page.md',
        'blob file.txt',
      ]);
      const first = await pushed.work.git('rev-list', '--max-parents=0', head);
      expect(await get(`ref_name=${first}`)).toEqual(['blob file.txt']);
      expect(await get('path=file.txt')).toEqual([]);
      expect(await get('recursive=true&per_page=2&page=2')).toEqual([
        'blob docs/deep/page.md',
        'blob file.txt',
      ]);
    });

    it('lists a large folder below long names without a copy of the path for each file', async () => {
      const { project, work } = await projects.make();
      const blob = await work.git('rev-parse', 'HEAD:file.txt');
      const tree = (lines: readonly string[]) =>
        git(['mktree'], { cwd: work.folder, input: lines.join('\n') });
      const files = Array.from(
        { length: 150_000 },
        (_, at) => `100644 blob ${blob}\tf${String(at)}`,
      );
      let root = await tree(files);
      const name = 'n'.repeat(200);
      for (let level = 0; level < 15; level += 1)
        root = await tree([`040000 tree ${root}\t${name}`]);
      const commit = await work.git('commit-tree', '-m', 'Large', root);
      expect((await work.push(`${commit}:refs/heads/large`)).code).toBe(0);
      const folder = Array.from({ length: 15 }, () => name).join('/');
      const largest = () => process.resourceUsage().maxRSS / 1024;
      const before = largest();
      const url = `${trellis.url}/api/v3/projects/${String(project.id)}/repository/tree`;
      const query = new URLSearchParams({ ref_name: 'large', path: folder, per_page: '2' });
      // Without the check of its headers: the address is too long for `Link`.
      const answer = await fetch(`${url}?${query}`, { headers: { 'PRIVATE-TOKEN': owner.token } });
      expect(shown(await answer.json())).toEqual([`blob ${folder}/f0`, `blob ${folder}/f1`]);
      expect(largest() - before).toBeLessThan(200);
    });
  });

  describe('GET blobs, raw_blobs and commits/:sha/blob', () => {
    it('return text as text/plain that no browser executes', async () => {
      const id = await pushed.work.git('rev-parse', `${head}:docs/deep/page.md`);
      const places = [
        'blobs/master?filepath=docs/deep/page.md',
        'blobs/feature/slash?filepath=docs/deep/page.md',
        'blobs/feature%2Fslash?filepath=docs%2Fdeep%2Fpage.md',
        `commits/${head.slice(0, 9)}/blob?filepath=docs/deep/page.md`,
        `raw_blobs/${id}`,
        `raw_blobs/${id.slice(0, 9)}`,
      ];
      for (const place of places) {
        const answer = await raw(place);
        expect([place, answer.status]).toEqual([place, 200]);
        expect(await answer.text()).toBe('# Page\n');
        expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
        expect(answer.headers.get('content-length')).toBe('7');
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
        expect(answer.headers.get('content-security-policy')).toContain('sandbox');
      }
    });

    it('return other bytes unchanged, for every name', async () => {
      const binary = await raw('blobs/master?filepath=image.bin');
      expect(binary.headers.get('content-type')).toBe('application/octet-stream');
      expect(Buffer.from(await binary.arrayBuffer())).toEqual(Buffer.from([1, 0, 2]));
      const latin1 = await raw('blobs/master?filepath=latin1.txt');
      expect(Buffer.from(await latin1.arrayBuffer())).toEqual(Buffer.from('caf\xe9\n', 'latin1'));
      const odd = await raw(`blobs/master?filepath=${encodeURIComponent(ODD)}`);
      expect(await odd.text()).toBe('odd\n');
      expect(odd.headers.get('content-disposition')).toMatch(/^attachment; filename=/);
      const link = await raw('blobs/master?filepath=link');
      expect(await link.text()).toBe('run.sh');
    });

    it('stream large files, and only their headers for HEAD', async () => {
      const { work } = pushed;
      const content = Buffer.alloc(3_000_000, 'large\n');
      await writeFile(path.join(work.folder, 'large.txt'), content);
      await work.commit('Large');
      expect((await work.push('HEAD:refs/heads/large')).code).toBe(0);
      const answer = await raw('blobs/large?filepath=large.txt');
      expect(answer.headers.get('content-length')).toBe('3000000');
      expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
      for (let round = 0; round < 20; round += 1) {
        const only = await raw('blobs/large?filepath=large.txt', { method: 'HEAD' });
        expect([only.status, only.headers.get('content-length')]).toEqual([200, '3000000']);
      }
    });

    it('return 404 for folders, submodules and missing files', async () => {
      const asOwner = trellis.as(owner);
      for (const name of ['docs', 'module', 'absent']) {
        const answer = await asOwner.get(`${base}/blobs/master?filepath=${name}`).expect(404);
        expect(answer.body).toEqual({ message: '404 File Not Found' });
      }
      for (const sha of [head, await pushed.work.git('rev-parse', `${head}:docs`), 'master']) {
        const answer = await asOwner.get(`${base}/raw_blobs/${sha}`).expect(404);
        expect(answer.body).toEqual({ message: '404 Blob Not Found' });
      }
    });

    it('start no process once warm', async () => {
      await (await raw('blobs/master?filepath=zz.txt')).text();
      const spawned = trellis.git.spawnCount;
      await (await raw('blobs/master?filepath=zz.txt')).text();
      await (await raw('blobs/master?filepath=image.bin')).text();
      expect(trellis.git.spawnCount).toBe(spawned);
    });
  });

  describe('GET files', () => {
    it('shows a file with its content and the commit that changed it last', async () => {
      const query = 'file_path=docs/deep/page.md&ref=feature%2Fslash';
      const answer = await trellis.as(owner).get(`${base}/files?${query}`).expect(200);
      expect(answer.body).toEqual({
        file_name: 'page.md',
        file_path: 'docs/deep/page.md',
        size: 7,
        encoding: 'base64',
        content: Buffer.from('# Page\n').toString('base64'),
        ref: 'feature/slash',
        blob_id: await pushed.work.git('rev-parse', `${head}:docs/deep/page.md`),
        commit_id: head,
        last_commit_id: await pushed.work.git('rev-parse', `${head}~1`),
      });
    });

    it('shows only files up to the size limit', async () => {
      const { work } = pushed;
      const asOwner = trellis.as(owner);
      const missing = await asOwner.get(`${base}/files?file_path=docs&ref=master`).expect(404);
      expect(missing.body).toEqual({ message: '404 File Not Found' });
      await writeFile(path.join(work.folder, 'huge'), Buffer.alloc(20 * 1024 * 1024 + 1));
      await work.commit('Huge');
      expect((await work.push('HEAD:refs/heads/huge')).code).toBe(0);
      await asOwner.get(`${base}/files?file_path=huge&ref=huge`).expect(413);
      const answer = await raw('blobs/huge?filepath=huge');
      expect((await answer.arrayBuffer()).byteLength).toBe(20 * 1024 * 1024 + 1);
    });
  });
});
