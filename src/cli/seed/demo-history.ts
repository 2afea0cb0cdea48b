/** What the history of a demo project is made of. */
export interface DemoHistory {
  /** Title of the readme. */
  readonly title: string;
  /** Names of the parts that commits change in turn. */
  readonly parts: readonly string[];
  /** Commits on `master`. */
  readonly commits: number;
}

/** Branches with one commit each, which begin at the head of `master`. */
export const DEMO_BRANCHES = ['add-search', 'fix-typos', 'update-colors', 'try-cache'] as const;

/** 2024-01-08, 9:00 UTC. Commits follow at intervals of three hours. */
const FIRST_COMMIT = 1_704_704_400;
const INTERVAL = 3 * 60 * 60;

const WORK = [
  ['Add', 'a first version of'],
  ['Test', 'the limits of'],
  ['Document', 'the use of'],
  ['Simplify', 'the names in'],
  ['Handle', 'empty input to'],
  ['Speed up', 'the common case of'],
] as const;

/**
 * Writes the history of a demo project as a `git fast-import` stream: `master`, the tag `v1.0` in its middle, and
 * `DEMO_BRANCHES`. The same input gives the same commits.
 */
export function demoHistory({ title, parts, commits }: DemoHistory): string {
  const lines: string[] = [];
  const commit = (branch: string, number: number, message: string, files: FileText[]): void => {
    const person = `Demo Developer <demo-developer@example.com> ${String(FIRST_COMMIT + number * INTERVAL)} +0000`;
    lines.push(`commit refs/heads/${branch}`, `committer ${person}`, data(message));
    if (branch !== 'master') lines.push('from refs/heads/master');
    for (const [path, text] of files) lines.push(`M 100644 inline ${path}`, data(text));
    lines.push('');
  };
  const readme = `# ${title}\n\nA demo project, made by \`trellis seed\`.\n`;
  commit('master', 0, 'Begin with a readme', [['README.md', readme]]);
  const written = new Map<string, string>();
  for (let number = 1; number < commits; number += 1) {
    const part = parts[number % parts.length] ?? '';
    const [verb, object] = WORK[Math.floor(number / parts.length) % WORK.length] ?? WORK[0];
    const text = `${written.get(part) ?? ''}${verb} ${object} ${part} (${String(number)})\n`;
    written.set(part, text);
    commit('master', number, `${verb} ${object} ${part}`, [[`src/${part}.txt`, text]]);
    if (number === Math.floor(commits / 2))
      lines.push('reset refs/tags/v1.0', 'from refs/heads/master', '');
  }
  DEMO_BRANCHES.forEach((branch, index) => {
    const message = demoSubject(branch);
    commit(branch, commits + index, message, [[`src/${branch}.txt`, `${message}.\n`]]);
  });
  return [...lines, 'done', ''].join('\n');
}

/** Returns what a branch does, as a sentence begins. */
export function demoSubject(branch: string): string {
  const words = branch.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

type FileText = readonly [path: string, text: string];

const data = (text: string): string => `data ${String(Buffer.byteLength(text))}\n${text}`;
