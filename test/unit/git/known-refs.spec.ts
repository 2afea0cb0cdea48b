import { access } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Oid,
  type RecordedRefs,
  type Repository,
  RepositoryMissingError,
} from '../../../src/git/index.js';
import { until } from '../../support/until.js';
import { git, line, Workshop } from './support/workshop.js';

const MASTER = 'refs/heads/master';
const HEADS = 'refs/heads/';
/** Longer than a snapshot holds. */
const SNAPSHOT_MS = 1_100;

describe('refs of a known version', () => {
  let workshop: Workshop;
  let path: string;
  let oids: string[];
  let asked: number;
  const run = (...args: string[]) => git(args, { cwd: path });

  beforeAll(async () => {
    workshop = await Workshop.open();
  });

  afterEach(() => jest.restoreAllMocks());
  afterAll(() => workshop.close());

  beforeEach(async () => {
    ({ path } = await workshop.repository(line(3)));
    oids = (await run('rev-list', 'master')).split('\n');
    asked = 0;
  });

  const oid = (n: number): Oid => oids[n] ?? '';
  const move = (n: number) => run('update-ref', MASTER, oid(n));

  /** Opens the repository as a request does that has read a version. */
  function open(version: number, recorded: [string, Oid | null][] = []): Repository {
    return workshop.git.repository(path, optionsOf(version, recorded));
  }

  /** What answers which refs are recorded, and counts how often it is asked. */
  function counted(answer: () => RecordedRefs): () => Promise<RecordedRefs> {
    return () => {
      asked += 1;
      return Promise.resolve(answer());
    };
  }

  function optionsOf(version: number, recorded: [string, Oid | null][]) {
    const findRecorded = counted(
      () => new Map(recorded.map(([ref, target]) => [ref, new Set([target])])),
    );
    return { known: { version, findRecorded }, usesSnapshot: true };
  }

  /** Waits until a reader has compared what is recorded with the files, and asks again. */
  const untilAskedAgain = () => until(() => Promise.resolve(asked > 2));

  const master = ({ refs }: Repository) => refs.get(MASTER);
  const listed = async ({ refs }: Repository) => (await refs.list(HEADS)).map((ref) => ref.target);

  it('create no folder again when the repository has just been removed', async () => {
    // What is read stays good for a second.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const merge = () => open(1).mergeCommits(oid(0), oid(1));
    expect(await merge()).not.toBeNull();
    await workshop.git.removeRepository(path);
    await expect(merge()).rejects.toThrow(RepositoryMissingError);
    await expect(access(path)).rejects.toThrow('ENOENT');
  });

  it('are read once, and again for another version', async () => {
    // What is read stays good for a second.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    expect(await master(open(1))).toBe(oid(0));
    expect(await listed(open(1))).toEqual([oid(0)]);
    await move(1);
    expect(await master(open(1))).toBe(oid(0));
    expect(await listed(open(1))).toEqual([oid(0)]);
    expect(await master(open(2))).toBe(oid(1));
    expect(await listed(open(2))).toEqual([oid(1)]);
    // An older version that was read before is answered by what is newer.
    expect(await master(open(1))).toBe(oid(1));
    expect(asked).toBe(2);
  });

  it('are those of the files for a reader that does not use snapshots', async () => {
    const options = { ...optionsOf(1, []), usesSnapshot: false };
    expect(await master(open(1))).toBe(oid(0));
    await move(1);
    expect(await master(workshop.git.repository(path, options))).toBe(oid(1));
    expect(await master(workshop.git.repository(path))).toBe(oid(1));
  });

  it('are updated after a second when git changes them directly', async () => {
    expect(await master(open(1))).toBe(oid(0));
    expect(await open(1).refs.get('refs/heads/new')).toBeNull();
    expect(await listed(open(1))).toEqual([oid(0)]);
    await move(1);
    await run('branch', 'new', oid(2));
    await delay(SNAPSHOT_MS);
    expect(await master(open(1))).toBe(oid(1));
    expect(await open(1).refs.get('refs/heads/new')).toBe(oid(2));
    expect(await listed(open(1))).toEqual([oid(1), oid(2)]);
    expect(asked).toBe(1);
  });

  it('are found while they are packed within a snapshot', async () => {
    await run('branch', 'other', oid(2));
    expect(await open(1).refs.get('refs/heads/absent')).toBeNull();
    await run('pack-refs', '--all');
    expect(await open(1).refs.get('refs/heads/other')).toBe(oid(2));
    expect(await listed(open(1))).toEqual([oid(0), oid(2)]);
  });

  it('are awaited when another process has recorded them', async () => {
    const reading = master(open(1, [[MASTER, oid(2)]]));
    const others = Promise.all([listed(open(1)), master(open(1))]);
    await untilAskedAgain();
    await move(2);
    expect(await reading).toBe(oid(2));
    expect(await others).toEqual([[oid(2)], oid(2)]);
  });

  it('are awaited when they were deleted or packed', async () => {
    await run('branch', 'gone', oid(1));
    await run('branch', 'kept', oid(1));
    await run('pack-refs', '--all');
    const expected: [string, Oid | null][] = [
      ['refs/heads/gone', null],
      ['refs/heads/kept', oid(1)],
    ];
    const reading = listed(open(1, expected));
    await untilAskedAgain();
    await run('branch', '-D', 'gone');
    expect(await reading).toEqual([oid(1), oid(0)]);
  });

  it('may also be those of a running push, and of one that is recorded meanwhile', async () => {
    let found = [oid(2)];
    const findRecorded = counted(() => new Map([[MASTER, new Set(found)]]));
    const options = (version: number) => ({ known: { version, findRecorded }, usesSnapshot: true });
    found = [oid(2), oid(0)];
    expect(await master(workshop.git.repository(path, options(1)))).toBe(oid(0));
    found = [oid(2)];
    asked = 0;
    const reading = master(workshop.git.repository(path, options(2)));
    await untilAskedAgain();
    found = [oid(0)];
    expect(await reading).toBe(oid(0));
    expect(await open(2).refs.findDoubtful([MASTER])).toEqual([]);
  });

  it('need not be compared again when the files have shown them', async () => {
    const recorded = new Map([[MASTER, new Set([oid(2)])]]);
    const noteShown = jest.fn();
    const findRecorded = counted(() => recorded);
    const known = { version: 1, findRecorded, noteShown };
    const reading = master(workshop.git.repository(path, { known, usesSnapshot: true }));
    await untilAskedAgain();
    expect(noteShown).not.toHaveBeenCalled();
    await move(2);
    await reading;
    expect(noteShown.mock.calls).toEqual([[recorded]]);
  });

  it('are doubtful when the files show other values too long', async () => {
    const { refs } = open(1, [
      [MASTER, oid(2)],
      ['refs/heads/x', null],
    ]);
    expect(await refs.get(MASTER)).toBe(oid(0));
    expect(await refs.findDoubtful([MASTER, 'refs/heads/x'])).toEqual([MASTER]);
    await move(2);
    expect(await refs.findDoubtful([MASTER])).toEqual([]);
  });

  it('need no confirmation after a move by this process', async () => {
    const repository = open(1);
    expect(await master(repository)).toBe(oid(0));
    await move(1);
    repository.refs.noteOwnMove();
    expect(await master(open(2, [[MASTER, oid(2)]]))).toBe(oid(1));
    expect(asked).toBe(1);
  });

  it('are still awaited when this process has moved others in between', async () => {
    expect(await master(open(1))).toBe(oid(0));
    // Version 2 was recorded by another process, and its refs were not read here.
    open(2).refs.noteOwnMove();
    asked = 0;
    const reading = master(open(3, [[MASTER, oid(1)]]));
    await untilAskedAgain();
    await move(1);
    expect(await reading).toBe(oid(1));
  });

  it('are read once by a caller that reads many', async () => {
    const options = { ...optionsOf(1, []), usesSnapshot: false };
    const names = Array.from({ length: 50 }, (_, at) => `${HEADS}${String(at)}`);
    await workshop.git.repository(path, options).refs.getAll(names);
    expect(asked).toBe(1);
  });

  it('are not those of a version whose confirmation failed', async () => {
    const findRecorded = () => Promise.reject(new Error('no database'));
    const options = { known: { version: 1, findRecorded }, usesSnapshot: true };
    await expect(master(workshop.git.repository(path, options))).rejects.toThrow('no database');
    expect(await master(open(1))).toBe(oid(0));
    expect(asked).toBe(1);
  });
});
