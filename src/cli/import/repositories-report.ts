/**
 * What became of a repository. `present`: an earlier import has taken it. `skipped`: nothing was done. `failed`: its
 * project is there without commits, and another import tries again.
 */
export interface RepositoryResult {
  /** The path below the directory. */
  readonly source: string;
  /** Namespace and path of the project; null if there can be none. */
  readonly project: string | null;
  readonly result: 'imported' | 'present' | 'skipped' | 'failed';
  /** Why it was skipped, or has failed. */
  readonly reason: string | null;
}

/** Formats what became of each repository, and a line of totals. */
export function describeRepositories(
  results: readonly RepositoryResult[],
  isDryRun: boolean,
): string {
  const lines = results.map(({ source, project, result, reason }) => {
    const to = project === null || project === source ? '' : ` -> ${project}`;
    return `${result.padEnd(9)} ${source}${to}${reason === null ? '' : `: ${reason}`}`;
  });
  const totals = (['imported', 'present', 'skipped', 'failed'] as const)
    .map((each) => [each, results.filter(({ result }) => result === each).length] as const)
    .filter(([each, count]) => each === 'imported' || count > 0)
    .map(([each, count]) => `${String(count)} ${each}`);
  const prefix = isDryRun ? 'Nothing was changed. It would be: ' : '';
  return [...lines, `${prefix}${totals.join(', ')}`].join('\n');
}
