const FIELDS = {
  id: '%H',
  short_id: '%h',
  title: '%s',
  message: '%B',
  author_name: '%an',
  author_email: '%ae',
  authored_date: '%aI',
  committer_name: '%cn',
  committer_email: '%ce',
  created_at: '%cI',
  parents: '%P',
};
const NAMES = Object.keys(FIELDS);

/** For `git log` and `git show`, with `--shortstat` or without. */
export const COMMIT_FORMAT = `--format=%x1e${Object.values(FIELDS).join('%x1f')}%x1f`;

/** The commits in the output of a command that was given `COMMIT_FORMAT`. */
export function parseCommits(output) {
  return output.split('\x1e').slice(1).map(parseCommit);
}

function parseCommit(record) {
  const values = record.split('\x1f');
  const { parents, ...commit } = Object.fromEntries(NAMES.map((name, at) => [name, values[at]]));
  const numbers = values[NAMES.length];
  return {
    ...commit,
    parent_ids: parents.split(' ').filter(Boolean),
    additions: Number(/(\d+) insertion/.exec(numbers)?.[1] ?? 0),
    deletions: Number(/(\d+) deletion/.exec(numbers)?.[1] ?? 0),
  };
}
