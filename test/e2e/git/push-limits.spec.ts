import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import type { Checkout } from '../../support/checkout.js';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { branchPushBody, packOfRepeated } from '../../support/raw-pack.js';
import { sendPush } from '../../support/raw-push.js';
import { Trellis } from '../../support/trellis.js';
import { dataCommand, git } from '../../unit/git/support/workshop.js';

const MIB = 1024 * 1024;
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const HEAD = `tree ${EMPTY_TREE}\nauthor A <a@b.c> 1 +0000\ncommitter A <a@b.c> 1 +0000\n\n`;

describe('The limits of a push', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    const settings = { FILE_MAX_BYTES: String(2 * MIB), PUSH_MAX_UNPACKED_BYTES: String(40 * MIB) };
    trellis = await Trellis.shared({ settings });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  /** Writes an object and answers its id. */
  async function write(work: Checkout, type: string, content: string): Promise<string> {
    const file = path.join(work.folder, '.git', 'object');
    await writeFile(file, content);
    return work.git('hash-object', '-t', type, '-w', file);
  }

  async function refused(work: Checkout, oid: string, reason: RegExp): Promise<void> {
    const answer = await work.push(`${oid}:refs/heads/large`);
    expect(answer.code).not.toBe(0);
    expect(answer.stderr).toMatch(reason);
    expect(await work.git('ls-remote', work.remote, 'refs/heads/large')).toBe('');
  }

  it('are 1 MiB for a commit', async () => {
    const { project, work } = await projects.make();
    const most = await write(work, 'commit', HEAD + 'x'.repeat(MIB - HEAD.length));
    expect((await work.push(`${most}:refs/heads/most`)).code).toBe(0);
    const more = await write(work, 'commit', HEAD + 'x'.repeat(MIB - HEAD.length + 1));
    await refused(
      work,
      more,
      new RegExp(`The commit ${more} is too large: it has 1,048,577 bytes`),
    );
    const branches = await trellis
      .as(owner)
      .get(`/projects/${String(project.id)}/repository/branches`)
      .expect(200);
    expect((branches.body as { name: string }[]).map(({ name }) => name)).toEqual([
      'master',
      'most',
    ]);
  });

  it('apply to the unpacked size of a delta', async () => {
    const { work } = await projects.make();
    const text = Array.from({ length: 60_000 }, (_, at) => `Line ${String(at)} of the text\n`);
    const base = await write(work, 'commit', HEAD + text.join('').slice(0, MIB - 5_000));
    const head = HEAD.replace('\nauthor', `\nparent ${base}\nauthor`);
    const more = await write(work, 'commit', head + text.join('').slice(0, MIB + 1_000));
    await refused(work, more, /The commit [0-9a-f]{40} is too large/);
  });

  it('apply among many objects too', async () => {
    const { work } = await projects.make();
    const commitFiles = (texts: string): Promise<string> => {
      const names = Array.from({ length: 600 }, (_, at) => `file-${String(at)}`);
      const changes = names.map(
        (name) => `M 100644 inline ${name}\n${dataCommand(`${texts} ${name}`)}\n`,
      );
      const input = `commit refs/heads/many\ncommitter A <a@b.c> 1 +0000\ndata 0\n${changes.join('')}`;
      return git(['fast-import', '--quiet', '--force'], { cwd: work.folder, input });
    };
    await commitFiles('one');
    expect((await work.push('many')).code).toBe(0);
    await commitFiles('other');
    const tree = await work.git('rev-parse', 'many^{tree}');
    const head = HEAD.replace(EMPTY_TREE, tree);
    const more = await write(work, 'commit', head + 'x'.repeat(2 * MIB));
    await refused(work, more, /The commit [0-9a-f]{40} is too large/);
  });

  it('are 1 MiB for a tag', async () => {
    const { work, head } = await projects.make();
    const tag = `object ${head}\ntype commit\ntag v1\ntagger A <a@b.c> 1 +0000\n\n${'x'.repeat(MIB)}`;
    const oid = await write(work, 'tag', tag);
    const answer = await work.push(`${oid}:refs/tags/v1`);
    expect(answer.stderr).toMatch(/The tag [0-9a-f]{40} is too large/);
    expect(await work.git('ls-remote', work.remote, 'refs/tags/v1')).toBe('');
  });

  it('are 16 MiB for a folder', async () => {
    const { work } = await projects.make();
    const blob = await write(work, 'blob', 'x');
    const entry = (name: string): Buffer =>
      Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
    const name = 'n'.repeat(240);
    const entries = Array.from({ length: 65_000 }, (_, at) =>
      entry(name + String(at).padStart(5, '0')),
    );
    const file = path.join(work.folder, '.git', 'object');
    await writeFile(file, Buffer.concat(entries));
    const tree = await work.git('hash-object', '-t', 'tree', '-w', file);
    const commit = await write(work, 'commit', HEAD.replace(EMPTY_TREE, tree));
    await refused(work, commit, /The tree [0-9a-f]{40} is too large/);
  });

  it('are configurable for a file and for the total', async () => {
    const { work } = await projects.make();
    await writeFile(path.join(work.folder, 'large'), Buffer.alloc(2 * MIB + 1));
    const large = await work.commit('Large');
    await refused(work, large, /The blob [0-9a-f]{40} is too large/);
    await work.git('reset', '--quiet', '--hard', 'HEAD^');
    for (let at = 0; at < 21; at += 1) {
      await writeFile(path.join(work.folder, `part-${String(at)}`), Buffer.alloc(2 * MIB, at + 1));
    }
    const many = await work.commit('Many parts');
    await refused(work, many, /The push is too large: unpacked, it may have at most 41,943,040/);
  });

  it('stop git before it takes gigabytes of memory', async () => {
    const { project } = await projects.make();
    const bomb = await packOfRepeated({ type: 'commit', head: HEAD, filler: 800 * MIB });
    expect(bomb.pack.length).toBeLessThan(4 * MIB);
    const answer = await sendPush(
      trellis,
      { project, person: owner },
      branchPushBody('bomb', bomb),
    );
    expect(answer).toContain('ng refs/heads/bomb The objects of the push take too much memory');
  });

  it('are 64 MiB for a compressed request', async () => {
    const { project, work } = await projects.make();
    const file = await packOfRepeated({ type: 'blob', head: '', filler: 65 * MIB, level: 0 });
    const answer = await request(trellis.url)
      .post(`/${project.fullPath}.git/git-receive-pack`)
      .auth(owner.user.username, owner.token)
      .set('Content-Encoding', 'gzip')
      .send(gzipSync(branchPushBody('inflated', file)))
      .then(({ text }) => text)
      .catch(() => '');
    expect(answer).not.toContain('ok refs/heads/inflated');
    expect(await work.git('ls-remote', work.remote, 'refs/heads/inflated')).toBe('');
  });

  it('are 200,000 characters for a message through the API', async () => {
    const { project } = await projects.make();
    const path = `/projects/${String(project.id)}`;
    const message = 'x'.repeat(200_001);
    const file = { file_path: 'a', branch_name: 'master', content: 'a' };
    const answers = await Promise.all([
      trellis.as(owner).post(`${path}/repository/files`, { ...file, commit_message: message }),
      trellis.as(owner).post(`${path}/repository/tags`, { tag_name: 'v1', ref: 'master', message }),
      trellis.as(owner).post(`${path}/repository/commits`, {
        branch_name: 'master',
        commit_message: message,
        actions: [{ action: 'create', file_path: 'a', content: 'a' }],
      }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    const longest = { ...file, commit_message: '\u{1f600}'.repeat(100_000) };
    await trellis.as(owner).post(`${path}/repository/files`, longest).expect(200);
    await trellis.as(owner).get(`${path}/repository/commits`).expect(200);
  });

  it('exclude branches and tags named HEAD or like an option', async () => {
    const { work } = await projects.make();
    for (const ref of ['refs/heads/HEAD', 'refs/heads/-x', 'refs/tags/-x', 'refs/tags/HEAD']) {
      const answer = await work.push(`HEAD:${ref}`);
      expect(answer.code).not.toBe(0);
      expect(answer.stderr).toContain('The name of a branch or tag cannot be HEAD');
      expect(await work.git('ls-remote', work.remote, ref)).not.toContain(ref);
    }
  });

  it('exclude new branches and tags in the form of a hash', async () => {
    const { project, work, head: commit } = await projects.make();
    for (const hash of [commit, commit.toUpperCase(), '0123456789'.repeat(4)]) {
      for (const ref of [`refs/heads/${hash}`, `refs/tags/${hash}`]) {
        const answer = await work.push(`HEAD:${ref}`);
        expect(answer.code).not.toBe(0);
        expect(answer.stderr).toContain('cannot have the form of a hash');
        expect(await work.git('ls-remote', work.remote, ref)).not.toContain(ref);
      }
      const path = `/projects/${String(project.id)}/repository`;
      const branch = { branch_name: hash, ref: 'master' };
      const tag = { tag_name: hash, ref: 'master' };
      const { body: ofBranch } = await trellis
        .as(owner)
        .post(`${path}/branches`, branch)
        .expect(400);
      expect(ofBranch).toEqual({ message: 'Branch name is invalid' });
      const { body: ofTag } = await trellis.as(owner).post(`${path}/tags`, tag).expect(400);
      expect(ofTag).toEqual({ message: 'Tag name invalid' });
    }
    const longer = `${commit}0`;
    expect((await work.push(`HEAD:refs/heads/${longer}`)).code).toBe(0);
  });
});
