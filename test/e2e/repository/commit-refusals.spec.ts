import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ApiCommits, apiCommits, create } from '../../support/api-commits.js';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import type { PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

/** A file of submodules that git refuses. */
const MODULES = '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch\n';

describe('invalid actions of commits', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;
  let head: string;
  let commit: ApiCommits['commit'];
  let refs: PushedRefs;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
    const made = await pushed.make();
    ({ head } = made);
    ({ commit, refs } = apiCommits(trellis, made.project, owner));
  });
  afterEach(async () => {
    expect(await refs.target('refs/heads/master')).toBe(head);
    expect(await refs.events()).toHaveLength(1);
  });
  afterAll(() => pushed.remove());

  it.each([
    [[{ action: 'zap', file_path: 'a' }], { message: 'Unknown action type `zap`.' }],
    [[{ action: 'create', content: 'a' }], { message: 'You must specify a file_path.' }],
    [
      [{ action: 'create', file_path: '/', content: 'a' }],
      { message: 'You must specify a file_path.' },
    ],
    [
      [{ action: 'create', file_path: 'file.txt', content: '' }],
      {
        message:
          'Your changes could not be committed because a file with the name `file.txt` already exists.',
      },
    ],
    [
      [{ action: 'create', file_path: 'file.txt/below', content: '' }],
      {
        message:
          'Your changes could not be committed because a file with the name `file.txt` already exists.',
      },
    ],
    [
      [
        { action: 'create', file_path: 'dir/a', content: '' },
        { action: 'create', file_path: 'dir', content: '' },
      ],
      {
        message:
          'Your changes could not be committed because a file with the name `dir` already exists.',
      },
    ],
    [
      [{ action: 'update', file_path: 'a.txt', content: '' }],
      { message: 'File to be updated `a.txt` does not exist.' },
    ],
    [
      [{ action: 'delete', file_path: 'a.txt' }],
      { message: 'File to be deleted `a.txt` does not exist.' },
    ],
    [
      [
        { action: 'delete', file_path: 'file.txt' },
        { action: 'delete', file_path: 'file.txt' },
      ],
      { message: 'File to be deleted `file.txt` does not exist.' },
    ],
    [
      [{ action: 'move', file_path: 'b.txt', previous_path: 'a.txt' }],
      { message: 'File to be moved `a.txt` does not exist.' },
    ],
    [
      [{ action: 'move', file_path: 'b.txt' }],
      { message: 'You must supply the original file path when moving file `b.txt`.' },
    ],
    [
      [{ action: 'move', file_path: 'file.txt', previous_path: 'file.txt' }],
      { message: 'Move destination `file.txt` already exists.' },
    ],
    [[{ action: 'create', file_path: 'a' }], { error: 'actions[0][content] is missing' }],
    [
      [
        { action: 'create', file_path: 'a', content: 'x' },
        { action: 'update', file_path: 'file.txt' },
      ],
      { error: 'actions[1][content] is missing' },
    ],
    [
      [{ action: 'create', file_path: 'a', content: '%%%', encoding: 'base64' }],
      { message: 'content is not valid base64' },
    ],
    [
      [{ action: 'create', file_path: 'a', content: 'abc', encoding: 'base64' }],
      { message: 'content is not valid base64' },
    ],
  ])('are refused with the reason for the first invalid action: %j', async (bad, body) => {
    const good = { action: 'create', file_path: 'good.txt', content: 'good' };
    await commit(bad).expect(400, body);
    const last =
      'error' in body ? { error: body.error.replace(/\d/, (n) => String(Number(n) + 1)) } : body;
    await commit([good, ...bad]).expect(400, last);
  });

  const CHARACTERS = `can contain only letters, digits, '_', '-', '@' and '.'. Separate directories with a '/'.`;
  const TRAVERSAL = 'cannot include directory traversal.';
  it.each([
    ['../x', TRAVERSAL],
    ['a/../../x', TRAVERSAL],
    ['a/..', TRAVERSAL],
    ['.git/config', CHARACTERS],
    ['a/.GIT/hooks/post-update', CHARACTERS],
    ['./x', CHARACTERS],
    ['a/./b', CHARACTERS],
    ['a//b', CHARACTERS],
    ['a/', CHARACTERS],
    ['a\nb', CHARACTERS],
    ['a\tb', CHARACTERS],
    ['-\u0007', CHARACTERS],
    ['a\u007f', CHARACTERS],
    ['a\u0085b', CHARACTERS],
    ['\ud800', CHARACTERS],
    [`${'d/'.repeat(2000)}x`, 'is too long.'],
    ['x'.repeat(256), 'is too long.'],
  ])('refuses the new name %p', async (name, why) => {
    const message = `Your changes could not be committed, because the file name ${why}`;
    await commit([create(name)]).expect(400, { message });
    await commit([{ action: 'move', previous_path: 'file.txt', file_path: name }]).expect(400, {
      message,
    });
  });

  it.each([
    ['..', TRAVERSAL],
    ['a/../file.txt', TRAVERSAL],
    ['./file.txt', null],
    ['file.txt/', null],
    ['a//b', null],
    ['.git', null],
    ['a\tb', null],
    ['\ud800', null],
  ])('refuses to change, delete and move %p, which does not exist', async (name, why) => {
    for (const [action, done, content] of [
      ['update', 'updated', 'x'],
      ['delete', 'deleted', undefined],
      ['move', 'moved', undefined],
    ] as const) {
      const names =
        action === 'move' ? { previous_path: name, file_path: 'new' } : { file_path: name };
      const message =
        why === null
          ? `File to be ${done} \`${name}\` does not exist.`
          : `Your changes could not be committed, because the file name ${why}`;
      await commit([{ action, content, ...names }]).expect(400, { message });
    }
  });

  it.each([
    'GIT~1/config',
    '.git. /x',
    '.git:stream',
    '.g\u200cit/config',
    'a\\.git',
    'a\\git~1\\x',
  ])('refuses the new name %p, which some file systems treat as .git', async (name) => {
    const message =
      "Your changes could not be committed, because Git refuses them: hasDotgit: contains '.git'";
    await commit([create(name)]).expect(400, { message });
    await commit([{ action: 'move', previous_path: 'file.txt', file_path: name }]).expect(400, {
      message,
    });
  });

  it('refuses to move files to .gitmodules that git rejects there', async () => {
    const { project, work, head: first } = await pushed.make();
    const own = apiCommits(trellis, project, owner);
    await writeFile(path.join(work.folder, 'modules'), MODULES);
    await symlink('file.txt', path.join(work.folder, 'link'));
    await work.git('update-index', '--add', '--cacheinfo', `160000,${first},module`);
    await mkdir(path.join(work.folder, 'module'));
    const sources = await work.commit('Sources');
    await work.push('HEAD:refs/heads/master');
    for (const previous_path of ['modules', 'link', 'module']) {
      const moved = { action: 'move', previous_path, file_path: '.gitmodules' };
      const { status, body } = await own.commit([moved]);
      expect([previous_path, status, body]).toEqual([
        previous_path,
        400,
        { message: expect.stringMatching(/Git refuses them: gitmodules[A-Z]/) as string },
      ]);
    }
    expect(await own.refs.target('refs/heads/master')).toBe(sources);
  });

  it('are refused with a NUL, with too much content, and when fsck reports an error', async () => {
    await commit([create('a\u0000b')]).expect(400, { error: 'actions is invalid' });
    await commit([create('a', 'x'.repeat(21 * 1024 * 1024))]).expect(413);
    const answer = await commit([create('.gitmodules', MODULES)]).expect(400);
    expect((answer.body as { message: string }).message).toMatch(/Git refuses them: gitmodulesUrl/);
    const many = Array.from({ length: 2000 }, (_, index) =>
      create(`${'d/'.repeat(60)}${String(index)}`),
    );
    await commit(many).expect(400, { message: 'There are too many changes for one commit.' });
    const moves = Array.from({ length: 60 }, (_, index) => ({
      action: 'move',
      previous_path: `${'d/'.repeat(2000)}${String(index)}`,
      file_path: String(index),
    }));
    await commit(moves).expect(400, { message: 'There are too many changes for one commit.' });
    await refs.expectSound();
  });
});
