import { apiCommits, create } from '../../support/api-commits.js';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

describe('bad actions of commits', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(() => pushed.remove());

  async function make() {
    const made = await pushed.make();
    return { ...made, ...apiCommits(trellis, made.project, owner) };
  }

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
  ])('are refused with the reason for the first bad action: %j', async (bad, body) => {
    const { commit, refs, head } = await make();
    const good = { action: 'create', file_path: 'good.txt', content: 'good' };
    await commit(bad).expect(400, body);
    const last =
      'error' in body ? { error: body.error.replace(/\d/, (n) => String(Number(n) + 1)) } : body;
    await commit([good, ...bad]).expect(400, last);
    expect(await refs.target('refs/heads/master')).toBe(head);
    expect(await refs.events()).toHaveLength(1);
    await refs.expectSound();
  });

  const CHARACTERS = `Your changes could not be committed, because the file name can contain only letters, digits, '_', '-', '@' and '.'. Separate directories with a '/'.`;
  it.each([
    ['../x', 'cannot include directory traversal.'],
    ['a/../../x', 'cannot include directory traversal.'],
    ['a/..', 'cannot include directory traversal.'],
    ['.git/config', 'is reserved for Git.'],
    ['a/.GIT/hooks/post-update', 'is reserved for Git.'],
    ['.git. /x', 'is reserved for Git.'],
    ['./x', 'is invalid.'],
    ['a//b', 'is invalid.'],
    ['a/', 'is invalid.'],
    [`${'d/'.repeat(2000)}x`, 'is too long.'],
    ['x'.repeat(256), 'is too long.'],
  ])('are refused where a name means harm: %p', async (path, why) => {
    const { commit, refs } = await make();
    const message = `Your changes could not be committed, because the file name ${why}`;
    await commit([create(path)]).expect(400, { message });
    await commit([{ action: 'move', previous_path: 'file.txt', file_path: path }]).expect(400, {
      message,
    });
    expect(await refs.events()).toHaveLength(1);
  });

  it.each([
    'a\nb',
    'a"b',
    "a'b",
    'GIT~1/config',
    'a\\b',
    'C:x',
    '.g\u200cit/config',
    '-\u0007',
    '$(x)',
    '\ud800',
  ])('are refused where a name has other signs: %p', async (path) => {
    const { commit, refs } = await make();
    await commit([create(path)]).expect(400, { message: CHARACTERS });
    expect(await refs.events()).toHaveLength(1);
  });

  it('are refused with a NUL, with too much, and where git finds fault with them', async () => {
    const { commit, refs, head } = await make();
    await commit([create('a\u0000b')]).expect(400, { error: 'actions is invalid' });
    await commit([create('a', 'x'.repeat(21 * 1024 * 1024))]).expect(413);
    const modules = '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch\n';
    const answer = await commit([create('.gitmodules', modules)]).expect(400);
    expect((answer.body as { message: string }).message).toMatch(/Git refuses them: gitmodulesUrl/);
    const many = Array.from({ length: 2000 }, (_, index) =>
      create(`${'d/'.repeat(60)}${String(index)}`),
    );
    await commit(many).expect(400, { message: 'There are too many changes for one commit.' });
    expect(await refs.target('refs/heads/master')).toBe(head);
    await refs.expectSound();
  });
});
