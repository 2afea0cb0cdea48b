import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

const LIMIT = 2_000_000;
const TOO_LARGE = /pack exceeds maximum allowed size/;

describe('the objects of a push', () => {
  let trellis: Trellis;
  let owner: Person;
  let keys: SshPerson;
  let projects: PushedProjects;

  beforeAll(async () => {
    const settings = { PUSH_MAX_BYTES: String(LIMIT) };
    trellis = await Trellis.shared({ servesSsh: true, settings });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    keys = await SshPerson.create(trellis, owner);
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await keys.remove();
    await trellis.restore();
  });

  async function make() {
    const made = await projects.make();
    const refs = new PushedRefs(trellis, made.project);
    const write = (type: string, input: Buffer | string): Promise<string> =>
      git(['hash-object', '-t', type, '-w', '--literally', '--stdin'], {
        cwd: made.work.folder,
        input,
      });
    const blob = await write('blob', 'content\n');
    /** Pushes a commit whose tree has these entries, as they are, in this order. */
    const pushTree = async (...entries: [mode: string, name: string, oid?: string][]) => {
      const bytes = entries.map(([mode, name, oid = blob]) =>
        Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
      );
      const tree = await write('tree', Buffer.concat(bytes));
      const commit = await made.work.git('commit-tree', tree, '-m', 'By hand');
      return made.work.push(`${commit}:refs/heads/by-hand`);
    };
    return { ...made, refs, write, pushTree };
  }

  it.each([
    ['a folder that git takes for its own', 'hasDotgit', [['40000', '.git']]],
    ['a name that stands for the parent', 'hasDotdot', [['40000', '..']]],
    [
      'a name twice',
      'duplicateEntries',
      [
        ['100644', 'a'],
        ['100644', 'a'],
      ],
    ],
    [
      'names that are not in order',
      'treeNotSorted',
      [
        ['100644', 'b'],
        ['100644', 'a'],
      ],
    ],
    ['a name with a slash', 'fullPathname', [['100644', 'a/b']]],
  ])('are refused with %s, and the reason is shown', async (_what, fault, entries) => {
    const { refs, write, pushTree, head } = await make();
    const empty = await write('tree', '');
    const told = await pushTree(
      ...entries.map(([mode, name]): [string, string, string?] =>
        mode === '40000' ? [mode, String(name), empty] : [String(mode), String(name)],
      ),
    );
    expect(told.code).toBe(1);
    expect(told.stderr).toContain(`remote: fatal: fsck error in packed object`);
    expect(told.stderr).toContain(fault);
    expect(told.stderr).toMatch(/remote rejected.*unpacker error/);
    expect(await refs.all()).toEqual(['refs/heads/master']);
    expect(await refs.target('refs/heads/master')).toBe(head);
    expect(await refs.events()).toHaveLength(1);
    await refs.expectSound();
  });

  it('are refused with a submodule whose address is an option', async () => {
    const { refs, write, pushTree } = await make();
    const modules = await write(
      'blob',
      '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch\n',
    );
    const told = await pushTree(['100644', '.gitmodules', modules]);
    expect(told.code).toBe(1);
    expect(told.stderr).toContain('gitmodulesUrl: disallowed submodule url: --upload-pack=touch');
    expect(await refs.all()).toEqual(['refs/heads/master']);
    await refs.expectSound();
  });

  it('may have a flaw common in old histories', async () => {
    const { refs, pushTree } = await make();
    expect((await pushTree(['0100644', 'padded'])).code).toBe(0);
    expect(await refs.all()).toContain('refs/heads/by-hand');
  });

  it('are refused as a whole when a referenced object is missing', async () => {
    const { work, refs, write } = await make();
    const tree = await write('tree', '');
    const commit = await write(
      'commit',
      `tree ${tree}\nparent ${'1'.repeat(40)}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`,
    );
    await writeFile(join(work.folder, '.git', 'shallow'), `${commit}\n`);
    const told = await work.push(`${commit}:refs/heads/holed`);
    expect(told.code).toBe(1);
    expect(await refs.all()).toEqual(['refs/heads/master']);
    await refs.expectSound();
  });

  describe('beyond the size limit', () => {
    it.each([
      ['HTTP, a little more', 'http', LIMIT + 100_000],
      ['HTTP, far more', 'http', 12 * LIMIT],
      ['SSH, a little more', 'ssh', LIMIT + 100_000],
      ['SSH, far more', 'ssh', 12 * LIMIT],
    ])('are refused over %s, and removed', async (_how, transport, size) => {
      const { project, work, refs, head } = await make();
      await writeFile(join(work.folder, 'large'), randomBytes(size));
      await work.commit('Too large');
      const args = ['HEAD:refs/heads/master', 'HEAD:refs/heads/other'];
      const told =
        transport === 'http'
          ? await work.push(...args)
          : await keys.git(['push', keys.url(project), ...args], work.folder);
      expect(told.code).toBe(1);
      expect(told.stderr).toMatch(TOO_LARGE);
      expect(told.stderr).toMatch(/remote rejected.*unpacker error/);
      expect(await refs.all()).toEqual(['refs/heads/master']);
      expect(await refs.target('refs/heads/master')).toBe(head);
      expect(await refs.events()).toHaveLength(1);
      await refs.expectSound();
    });

    it('are accepted below it, repeatedly', async () => {
      const { work, refs } = await make();
      for (const name of ['one', 'two', 'three']) {
        await writeFile(join(work.folder, name), randomBytes(LIMIT - 10_000));
        await work.commit(name);
        expect(await work.push('HEAD:refs/heads/master')).toMatchObject({ code: 0 });
      }
      expect(await refs.target('refs/heads/master')).toBe(await work.git('rev-parse', 'HEAD'));
    });
  });
});
