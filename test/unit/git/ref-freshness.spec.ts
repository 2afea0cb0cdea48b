import { appendFile, mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ZERO_OID, type Repository } from '../../../src/git/index.js';
import { FileMark, sameMark } from '../../../src/git/storage/file-mark.js';
import { git, line, Workshop } from './support/workshop.js';

/** Longer than the marks of files need to be relied on. */
const SETTLING_MS = 120;

describe('refs changed by others', () => {
  let workshop: Workshop;
  let repository: Repository;
  let oids: string[];
  const run = (...args: string[]) => git(args, { cwd: repository.path });

  beforeAll(async () => {
    workshop = await Workshop.open();
  });

  afterAll(() => workshop.close());

  beforeEach(async () => {
    repository = await workshop.repository(line(3));
    oids = (await run('rev-list', 'master')).split('\n');
  });

  const oid = (n: number) => oids[n] ?? '';
  const seen = async () =>
    (await repository.refs.list('refs/heads/')).map(({ name, target }) => `${target} ${name}`);
  const told = async () => {
    const text = await run('for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads');
    return text === '' ? [] : text.split('\n');
  };

  /** Everything that can be known is known, and old enough to be relied on. */
  async function settle(): Promise<void> {
    await delay(SETTLING_MS);
    for (let look = 0; look < 2; look += 1) {
      await seen();
      await repository.refs.get('refs/heads/master');
      await repository.refs.head();
    }
  }

  it('are seen by the very next read', async () => {
    const changes: [string, () => Promise<unknown>][] = [
      ['moved', () => run('update-ref', 'refs/heads/master', oid(1))],
      ['made', () => run('branch', 'new', oid(2))],
      ['made in a folder', () => run('branch', 'a/b/c', oid(2))],
      ['made in a known folder', () => run('branch', 'a/b/d', oid(2))],
      ['moved in a folder', () => run('update-ref', 'refs/heads/a/b/c', oid(0))],
      ['packed', () => run('pack-refs', '--all')],
      ['moved on from a pack', () => run('update-ref', 'refs/heads/master', oid(2))],
      ['deleted from a pack', () => run('branch', '-D', 'new')],
      ['deleted', () => run('update-ref', '-d', 'refs/heads/master')],
      ['renamed', () => run('branch', '-m', 'a/b/c', 'a/e')],
      ['made symbolic', () => run('symbolic-ref', 'refs/heads/link', 'refs/tags/t')],
      ['moved behind a symbolic one', () => run('tag', 't', oid(1))],
      ['moved behind it again', () => run('tag', '-f', 't', oid(2))],
    ];
    for (const [what, change] of changes) {
      await settle();
      await change();
      expect([what, await seen()]).toEqual([what, await told()]);
      const master = (await told()).find((ref) => ref.endsWith(' refs/heads/master'));
      expect(await repository.refs.get('refs/heads/master')).toBe(master?.slice(0, 40) ?? null);
    }
    await settle();
    await run('symbolic-ref', 'HEAD', 'refs/heads/other');
    expect(await repository.refs.head()).toBe('other');
  });

  it('are seen when they move many times within one clock tick', async () => {
    const { refs } = repository;
    const other = (await workshop.anotherRoom()).repository(repository.path);
    let current = oid(0);
    for (let round = 0; round < 60; round += 1) {
      const next = oid((round + 1) % 3);
      await refs.update([{ ref: 'refs/heads/master', oldOid: current, newOid: next }]);
      current = next;
      expect(await other.refs.get('refs/heads/master')).toBe(current);
      expect(await other.refs.list('refs/heads/')).toEqual([
        { name: 'refs/heads/master', target: current },
      ]);
    }
  });

  it('are those of the current repository at the path', async () => {
    await settle();
    const other = await workshop.repository(line(2));
    const aside = workshop.path('aside');
    await rename(repository.path, aside);
    await rename(other.path, repository.path);
    expect(await seen()).toEqual(await told());
    await rm(repository.path, { recursive: true });
    const one = repository.refs.get('refs/heads/master');
    await expect(one).rejects.toMatchObject({ code: 'repository-missing' });
    await expect(seen()).rejects.toMatchObject({ code: 'repository-missing' });
    await rename(aside, repository.path);
    expect(await seen()).toEqual([`${oid(0)} refs/heads/master`]);
  });

  it('have lists of the same version when they are equal', async () => {
    const { refs } = repository;
    const { version } = await refs.listed('refs/heads/');
    await run('pack-refs', '--all');
    expect((await refs.listed('refs/heads/')).version).toBe(version);
    await refs.update([{ ref: 'refs/heads/b', oldOid: ZERO_OID, newOid: oid(1) }]);
    const changed = (await refs.listed('refs/heads/')).version;
    expect(changed).not.toBe(version);
    await refs.update([{ ref: 'refs/heads/b', oldOid: oid(1), newOid: ZERO_OID }]);
    expect((await refs.listed('refs/heads/')).version).toBe(version);
  });

  it('are listed from many folders, over more than one turn', async () => {
    const updates = Array.from({ length: 250 }, (_, n) => ({
      ref: `refs/heads/${String(n % 7)}/${String(n)}`,
      oldOid: ZERO_OID,
      newOid: oid(n % 3),
    }));
    await repository.refs.update(updates);
    expect(await seen()).toEqual(await told());
    await settle();
    await run('update-ref', 'refs/heads/3/3', oid(1));
    expect(await seen()).toEqual(await told());
  });
});

describe('the mark of a file', () => {
  let workshop: Workshop;
  let file: string;

  afterEach(() => jest.restoreAllMocks());

  beforeAll(async () => {
    workshop = await Workshop.open();
  });

  afterAll(() => workshop.close());

  beforeEach(async () => {
    const folder = workshop.path('marks');
    await mkdir(folder);
    file = join(folder, 'file');
    await writeFile(file, 'one');
  });

  it('is the same until the file is replaced', async () => {
    const mark = await FileMark.read(file);
    expect(sameMark(mark, await FileMark.read(file))).toBe(true);
    await writeFile(`${file}.lock`, 'two');
    await rename(`${file}.lock`, file);
    expect(sameMark(mark, await FileMark.read(file))).toBe(false);
    await rm(file);
    expect(await FileMark.read(file)).toBeNull();
    expect(sameMark(mark, null)).toBe(false);
    expect(sameMark(null, null)).toBe(true);
    expect(await FileMark.read(join(file, 'below'))).toBeNull();
    expect(await FileMark.read(`${file}${'x'.repeat(300)}`)).toBeNull();
  });

  it('is unreliable while the file is young', async () => {
    const clock = jest.spyOn(Date, 'now');
    const isSettledAfter = async (ms: number) => {
      clock.mockReturnValue((await stat(file)).ctimeMs + ms);
      return (await FileMark.read(file))?.isSettled;
    };
    expect(await isSettledAfter(10)).toBe(false);
    expect(await isSettledAfter(SETTLING_MS)).toBe(true);
    await appendFile(file, '!');
    await utimes(file, new Date(0), new Date(0));
    // What it says of its content's age can be forged, the time of that cannot.
    expect(await isSettledAfter(10)).toBe(false);
  });
});
