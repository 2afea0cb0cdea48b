import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { apiCommits, create } from '../../support/api-commits.js';
import type { Person } from '../../support/factories.js';
import { blobObject } from '../../support/git-objects.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { dataCommand, git } from '../../unit/git/support/workshop.js';

/** Names that may be given to new files. */
const ALLOWED = [
  'Résumé (final).txt',
  '[id].js',
  "it's.txt",
  'a+a',
  '🎉/👨‍👩‍👧.md',
  'v1..v2.md',
  '...',
  ' x ',
  'a"b',
  'a\\b',
  'C:x',
  '$(x)',
  '*?<>|',
  '-rf',
  ':(glob)x',
  '.gitignore',
  '.github/x.yml',
  'x.git',
  '.git1',
  '\ufffd',
  'ı.gıt',
];

/** Names that only a push brings. */
const PUSHED = ['tab\tbed', 'line\nbreak', 'bell\u0007', 'del\u007f', 'next\u0085line'];

/** Names that a shell, a pattern of Git, an option or an encoding would change, for endpoints of one file. */
const SOME = [' x ', 'a"b', 'a\\b', '*?<>|', '-rf', ':(glob)x', '🎉/👨‍👩‍👧.md', '\ufffd'];

/** A name in Latin-1, whose byte is no UTF-8, and how it is shown. */
const IN_LATIN_1 = Buffer.from('caf\xe9', 'latin1');
const SHOWN = 'caf\ufffd';

describe('names of files', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(() => pushed.remove());

  /** A project with these files besides `file.txt`. */
  async function make(names: readonly (string | Buffer)[] = []) {
    const made = await pushed.make();
    const { work } = made;
    for (const name of names) {
      await writeFile(
        Buffer.concat([Buffer.from(`${work.folder}${path.sep}`), Buffer.from(name)]),
        '1\n',
      );
    }
    if (names.length > 0) {
      await work.commit('Names');
      expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
    }
    const api = apiCommits(trellis, made.project, owner);
    const url = `/projects/${String(made.project.id)}/repository/files`;
    const change = (verb: 'post' | 'put' | 'delete', file_path: string) =>
      trellis
        .as(owner)
        .call(verb, url)
        .send({
          ...{ file_path, branch_name: 'master', commit_message: 'Change', content: '2\n' },
        });
    const read = async (file_path: string) =>
      trellis.as(owner).get(url).query({ file_path, ref: 'master' }).expect(200);
    /** Names of all files of this content. */
    const namesWith = async (content: string) => {
      const text = await api.refs.git('ls-tree', '-r', '-z', 'master');
      const head = `100644 blob ${blobObject(content).oid}\t`;
      const entries = text.split('\0').filter((entry) => entry.startsWith(head));
      return entries.map((entry) => entry.slice(head.length));
    };
    const listed = async () => {
      const text = await api.refs.git('ls-tree', '-r', '-z', '--name-only', 'master');
      return text.split('\0').filter((name) => name !== '' && name !== 'file.txt');
    };
    return { ...made, ...api, change, read, namesWith, listed };
  }

  const sorted = (names: readonly string[]) =>
    [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

  it('accepts any allowed name in actions', async () => {
    const { commit, namesWith, listed, refs } = await make();
    await commit(ALLOWED.map((name) => create(name))).expect(200);
    expect(await listed()).toEqual(sorted(ALLOWED));
    const changes = ALLOWED.map((file_path) => ({ action: 'update', file_path, content: '2' }));
    await commit(changes).expect(200);
    expect(await namesWith('2')).toEqual(sorted(ALLOWED));
    const moves = ALLOWED.map((name) => ({
      ...{ action: 'move', previous_path: name, file_path: `moved/${name}` },
    }));
    await commit(moves).expect(200);
    expect(await listed()).toEqual(sorted(ALLOWED.map((name) => `moved/${name}`)));
    await commit(ALLOWED.map((name) => ({ action: 'delete', file_path: `moved/${name}` }))).expect(
      200,
    );
    expect(await listed()).toEqual([]);
    await refs.expectSound();
  });

  it('accepts allowed names for a single new file', async () => {
    const { change, listed } = await make();
    for (const name of SOME) await change('post', name).expect(200);
    expect(await listed()).toEqual(sorted(SOME));
  });

  it('accepts generated names without control characters and reserved segments, seed 5', async () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => !/[\p{Cc}/]/u.test(text) && !/^\.{1,2}$/.test(text))
      .filter((text) => !/(?:git~1|\.git)[. ]*(?:$|[\\:])/i.test(text));
    const names = fc.sample(fc.array(segment, { minLength: 1, maxLength: 3 }), {
      numRuns: 100,
      seed: 5,
    });
    const paths = names.map((parts, index) =>
      [`${String(index)} ${parts[0] ?? ''}`, ...parts].join('/'),
    );
    const { commit, listed } = await make();
    await commit(paths.map((name) => create(name))).expect(200);
    expect(await listed()).toEqual(sorted(paths));
  });

  it('reads, changes and moves pushed files of any name', async () => {
    const names = [...PUSHED, ...ALLOWED.filter((name) => !name.includes('/'))];
    const { commit, change, read, namesWith, listed, project } = await make(names);
    const changed = names.filter((name) => PUSHED.includes(name) || SOME.includes(name));
    for (const name of changed) await change('put', name).expect(200);
    expect(await namesWith('2\n')).toEqual(sorted(changed));
    for (const name of names) {
      expect((await read(name)).body).toMatchObject({ file_path: name, size: 2 });
      const blob = `/projects/${String(project.id)}/repository/blobs/master`;
      await trellis.as(owner).get(blob).query({ filepath: name }).expect(200);
    }
    await commit(names.map((name) => ({ action: 'update', file_path: name, content: '3' }))).expect(
      200,
    );
    expect(await namesWith('3')).toEqual(sorted(names));
    const moves = names.map((name, index) => ({
      ...{ action: 'move', previous_path: name, file_path: `plain-${String(index)}` },
    }));
    await commit(moves).expect(200);
    expect(await listed()).toEqual(sorted(names.map((_, index) => `plain-${String(index)}`)));
  });

  it('deletes pushed files of any name', async () => {
    const more = PUSHED.map((name) => `${name}2`);
    const { commit, change, listed } = await make([...PUSHED, ...more]);
    for (const name of PUSHED) await change('delete', name).expect(200);
    await commit(more.map((name) => ({ action: 'delete', file_path: name }))).expect(200);
    expect(await listed()).toEqual([]);
  });

  it('finds a file whose name is not UTF-8 by its displayed name', async () => {
    const { commit, change, refs } = await make([IN_LATIN_1]);
    const bytes = async () => refs.git('ls-tree', '-r', '--name-only', 'master');
    await change('put', SHOWN).expect(200);
    expect(await bytes()).toBe('"caf\\351"\nfile.txt');
    await commit([create(SHOWN)]).expect(400, {
      message: `Your changes could not be committed because a file with the name \`${SHOWN}\` already exists.`,
    });
    await commit([
      { action: 'update', file_path: SHOWN, content: '3' },
      { action: 'move', previous_path: SHOWN, file_path: 'café' },
      create(SHOWN),
    ]).expect(200);
    expect(await bytes()).toBe('"caf\\303\\251"\n"caf\\357\\277\\275"\nfile.txt');
    expect(await refs.git('show', 'master:café')).toBe('3');
  });

  it('updates, moves and deletes files in deep folders, up to 4,096 bytes of path', async () => {
    const { commit, change, work, refs, listed } = await make();
    const within = `${'a/'.repeat(2000)}${'b'.repeat(96)}`;
    const beyond = [`${within}c`, `${'é/'.repeat(4000)}f`];
    const files = [within, ...beyond].map((name) => `M 100644 inline ${name}\n${dataCommand('1')}`);
    const head = `commit refs/heads/master\ncommitter Ada <a@example.com> 1 +0000\n${dataCommand('x')}`;
    const input = [head, 'from refs/heads/master^0', ...files].join('\n');
    await git(['fast-import', '--quiet'], { cwd: work.folder, input });
    expect((await work.push('master')).code).toBe(0);
    const message = 'Your changes could not be committed, because the file name is too long.';
    for (const name of beyond) {
      for (const verb of ['put', 'delete'] as const) {
        await change(verb, name).expect(400, { message });
      }
      for (const action of [
        { action: 'update', file_path: name, content: '2' },
        { action: 'delete', file_path: name },
        { action: 'move', previous_path: name, file_path: 'moved' },
      ]) {
        await commit([action]).expect(400, { message });
      }
    }
    await change('put', within).expect(200);
    await commit([{ action: 'move', previous_path: within, file_path: 'moved' }]).expect(200);
    expect(await refs.git('show', 'master:moved')).toBe('2');
    await commit([{ action: 'delete', file_path: 'moved' }]).expect(200);
    expect(await listed()).toHaveLength(beyond.length);
  });

  it('deletes files below a folder named .git, which pushes cannot create', async () => {
    const { commit, change, refs } = await make();
    const blob = await refs.git('rev-parse', 'master:file.txt');
    const tree = (...entries: string[]) =>
      git(['mktree'], { cwd: refs.folder, input: `${entries.join('\n')}\n` });
    const inner = await tree(`100644 blob ${blob}\tconfig`, `100644 blob ${blob}\thead`);
    const root = await tree(`040000 tree ${inner}\t.GIT`, `100644 blob ${blob}\tfile.txt`);
    const head = await refs.git('commit-tree', '-m', 'By hand', root);
    await refs.git('update-ref', 'refs/heads/master', head);
    await until(async () => {
      const answer = await trellis
        .as(owner)
        .get(`/projects/${String(refs.project.id)}/repository/commits/master`);
      return (answer.body as { id: string }).id === head;
    });
    const message =
      "Your changes could not be committed, because Git refuses them: hasDotgit: contains '.git'";
    await change('put', '.GIT/config').expect(400, { message });
    await commit([
      { action: 'delete', file_path: '.GIT/config' },
      { action: 'move', previous_path: '.GIT/head', file_path: 'head' },
    ]).expect(200);
    expect(await refs.git('ls-tree', '-r', '--name-only', 'master')).toBe('file.txt\nhead');
  });
});
