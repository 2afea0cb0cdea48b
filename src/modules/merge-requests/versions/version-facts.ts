import { GitTimeoutError, type Oid, type Repository } from '../../../git/index.js';
import type { MergeRequestVersion } from './merge-request-version.entity.js';
import type { VersionEnds } from './version-objects.js';

/** What is found out about a version once and for all. */
export type VersionFacts = Pick<
  MergeRequestVersion,
  'baseCommitSha' | 'startCommitSha' | 'headCommitSha' | 'state' | 'realSize'
>;

/** The commits of a version are in the repository. */
export async function factsOf(
  repository: Repository,
  { start, head }: VersionEnds,
): Promise<VersionFacts> {
  const base = await repository.mergeBase(start, head);
  const ends = { baseCommitSha: base, startCommitSha: start, headCommitSha: head };
  if (base === head) return { ...ends, state: 'empty', realSize: null };
  const { files, isCut } = await extentOf(repository, base, head);
  return {
    ...ends,
    state: isCut ? 'overflow' : 'collected',
    realSize: `${String(files)}${isCut ? '+' : ''}`,
  };
}

/** A difference that takes git too long is too large to be shown as well. */
async function extentOf(
  repository: Repository,
  base: Oid | null,
  head: Oid,
): Promise<{ files: number; isCut: boolean }> {
  try {
    const { entries, isCut } = await repository.diff(base, head);
    return { files: entries.length, isCut };
  } catch (error) {
    if (!(error instanceof GitTimeoutError)) throw error;
    return { files: 1_000, isCut: true };
  }
}
