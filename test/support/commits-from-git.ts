import { compareEach, type FirstParent } from '../unit/git/support/changes-from-git.js';
import { gitOutput } from '../unit/git/support/workshop.js';

/** A commit as plain git tells it, under the names of the API. */
export interface GitCommit {
  id: string;
  parent_ids: string[];
  author_name: string;
  author_email: string;
  authored_date: string;
  committer_name: string;
  committer_email: string;
  committed_date: string;
  message: string;
  /** When it was committed, in milliseconds since 1970. */
  time: number;
}

const FIELDS = ['%H', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'];

/** What `git log` says. @param args which commits, and in which order */
export async function commitsFromGit(cwd: string, ...args: string[]): Promise<GitCommit[]> {
  const format = `--format=tformat:${FIELDS.join('%x00')}`;
  const text = await gitOutput(['--literal-pathspecs', 'log', '-z', format, ...args], { cwd });
  const values = text.split('\0');
  const told: GitCommit[] = [];
  while (values.length > 1) told.push(commitOfGit(values.splice(0, FIELDS.length)));
  return told;
}

function commitOfGit(values: string[]): GitCommit {
  const [id = '', parents = '', authorName = '', authorEmail = '', authored = ''] = values;
  const [committerName = '', committerEmail = '', committed = '', message = ''] = values.slice(5);
  return {
    id,
    parent_ids: parents === '' ? [] : parents.split(' '),
    author_name: authorName,
    author_email: authorEmail,
    authored_date: dateOfApi(authored),
    committer_name: committerName,
    committer_email: committerEmail,
    committed_date: dateOfApi(committed),
    message,
    time: Date.parse(committed),
  };
}

/** git has no milliseconds, and newer ones write `Z` for Greenwich. */
function dateOfApi(date: string): string {
  return date.replace(/Z$/, '+00:00').replace(/[+-]\d\d:\d\d$/, '.000$&');
}

/** As an element of the list of commits that have no status. */
export function asListItem(told: GitCommit): object {
  return { ...summaryOf(told), allow_failure: false };
}

/** As an answer of its own, without the counts of lines. */
export function asCommit(told: GitCommit): object {
  const { parent_ids, authored_date, committed_date } = told;
  return { ...summaryOf(told), parent_ids, authored_date, committed_date };
}

function summaryOf(told: GitCommit): object {
  const { id, message, author_name, author_email, committer_name, committer_email } = told;
  const lines = message.split('\n').map((line) => line.trim());
  return {
    id,
    short_id: id.slice(0, 8),
    title: lines.find((line) => line !== '') ?? '',
    message,
    author_name,
    author_email,
    committer_name,
    committer_email,
    created_at: told.committed_date,
    status: null,
  };
}

/** Lines a commit adds and takes away against its first parent. */
export async function statsFromGit(cwd: string, from: string, to: string): Promise<GitStats> {
  return sumOf(await gitOutput(['diff-tree', '-r', ...NUMBERS, from, to], { cwd }));
}

/** The same for each of some commits. */
export async function allStatsFromGit(cwd: string, all: FirstParent[]): Promise<GitStats[]> {
  return (await compareEach(cwd, all, NUMBERS)).map(sumOf);
}

const NUMBERS = ['--numstat', '--find-renames'];

interface GitStats {
  additions: number;
  deletions: number;
  total: number;
}

function sumOf(numstat: string): GitStats {
  const rows = [...numstat.matchAll(/^(\d+)\t(\d+)\t/gm)];
  const additions = rows.reduce((sum, [, added]) => sum + Number(added), 0);
  const deletions = rows.reduce((sum, [, , deleted]) => sum + Number(deleted), 0);
  return { additions, deletions, total: additions + deletions };
}
