import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitTimeoutError, type Repository } from '../../../src/git/index.js';
import { renamedFiles } from '../../support/renamed-files.js';
import { Workshop } from './support/workshop.js';

const LIMIT_MS = 1_000;
const FEW = { files: 10, lines: 50 };

/** A `git` that never finds an end of looking for renames, and otherwise is git. */
const ENDLESS_RENAMES = `#!/bin/sh
case " $* $(env)" in *" -l400 "*|*" merge-tree "*=400*) exec sleep 60 ;; esac
exec git "$@"
`;

/** A `git` that never finds an end of comparing. */
const ENDLESS_COMPARISONS = `#!/bin/sh
case " $* " in *" diff-tree "*|*" merge-tree "*) exec sleep 60 ;; esac
exec git "$@"
`;

async function programOf(folder: string, script: string): Promise<string> {
  const executable = join(folder, 'git');
  await writeFile(executable, script);
  await chmod(executable, 0o755);
  return executable;
}

interface Ends {
  base: string;
  ours: string;
  theirs: string;
}

async function endsOf(repository: Repository): Promise<Ends> {
  const [base, ours, theirs] = await Promise.all(
    ['master', 'ours', 'theirs'].map((branch) => repository.resolveCommit(branch)),
  );
  return { base: base ?? '', ours: ours ?? '', theirs: theirs ?? '' };
}

const kindsOf = async (repository: Repository, from: string, to: string) =>
  new Set((await repository.diff(from, to)).entries.map(({ change }) => change));

describe('renames', () => {
  let workshop: Workshop;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  it('are found for changed files', async () => {
    const few = await workshop.repository(renamedFiles(FEW));
    const { base, ours, theirs } = await endsOf(few);
    expect(await few.canMerge(ours, theirs)).toBe(true);
    expect(await kindsOf(few, base, theirs)).toEqual(new Set(['renamed']));
    expect(await few.stats(theirs)).toEqual({ additions: 10, deletions: 0 });
  });

  it('are not detected among more than 400 files', async () => {
    const many = await workshop.repository(renamedFiles({ files: 401, lines: 20 }));
    const { base, ours, theirs } = await endsOf(many);
    expect(await many.canMerge(ours, theirs)).toBe(false);
    expect(await kindsOf(many, base, theirs)).toEqual(new Set(['added', 'deleted']));
  });
});

describe('renames that take git too long', () => {
  let folder: string;
  let workshop: Workshop;
  let repository: Repository;
  let ends: Ends;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trellis-endless-git-'));
    const executable = await programOf(folder, ENDLESS_RENAMES);
    workshop = await Workshop.open({ executable, comparisonTimeoutMs: LIMIT_MS });
    repository = await workshop.repository(renamedFiles(FEW));
    ends = await endsOf(repository);
  });
  afterAll(async () => {
    await workshop.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are skipped in a merge, the second time at once', async () => {
    const { ours, theirs } = ends;
    expect(await repository.canMerge(ours, theirs)).toBe(false);
    const spawned = workshop.git.spawnCount;
    expect(await repository.mergeCommits(ours, theirs)).toBeNull();
    expect(workshop.git.spawnCount).toBe(spawned + 1);
  });

  it('are skipped in a diff and its line counts', async () => {
    const { base, theirs } = ends;
    expect(await kindsOf(repository, base, theirs)).toEqual(new Set(['added', 'deleted']));
    expect(await repository.stats(theirs)).toEqual({ additions: 510, deletions: 500 });
  });
});

it('skips operations for a while that are slow without renames as well', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-endless-git-'));
  const executable = await programOf(folder, ENDLESS_COMPARISONS);
  const workshop = await Workshop.open({ executable, comparisonTimeoutMs: 100 });
  try {
    const repository = await workshop.repository(renamedFiles(FEW));
    const { base, ours, theirs } = await endsOf(repository);
    const questions = [
      () => repository.canMerge(ours, theirs),
      () => repository.diff(base, theirs),
      () => repository.stats(theirs),
    ];
    for (const ask of questions) await expect(ask()).rejects.toThrow(GitTimeoutError);
    const spawned = workshop.git.spawnCount;
    for (const ask of questions) await expect(ask()).rejects.toThrow(GitTimeoutError);
    expect(workshop.git.spawnCount).toBe(spawned);
  } finally {
    await workshop.close();
    await rm(folder, { recursive: true, force: true });
  }
});
