import type { Commit, Oid } from '../../../git/index.js';
import { copyOf, titleOf } from '../shared/commit-text.js';
import { trailersOf } from '../shared/commit-trailers.js';

const VERSION = /^v?(\d+)\.(\d+)\.(\d+)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const STABLE = /^v?\d+\.\d+\.\d+$/;
const REVERTED = /^This reverts commit ([0-9a-f]{40})/gm;
/** A heading of a version, which its section begins with. */
const HEADING = /^##[ \t]*(v?\d+\.\d+\.\d+\S*)/;
const MAX_TITLE = 255;
const MAX_CATEGORY = 100;
/** The commits that a message names as reverted, as far as they are looked at. */
const MAX_REVERTS = 10;

/** What a changelog tells of a commit. */
export interface ChangelogCommit {
  oid: Oid;
  title: string;
  /** Of its trailer; null without one. */
  category: string | null;
  /** The commits that it takes back. */
  reverts: Oid[];
}

export interface ChangelogSection {
  version: string;
  date: Date;
  /** The newest first. */
  commits: readonly ChangelogCommit[];
  /** Returns the address of a commit's page. */
  addressOf: (oid: Oid) => string;
}

/** Whether a text is a semantic version, which may begin with `v`. */
export const isVersion = (text: string): boolean => VERSION.test(text);

/** Returns the tag of the newest version before another one, without versions of trial. Undefined without any. */
export function tagBefore(version: string, tags: readonly string[]): string | undefined {
  return tags
    .filter((tag) => STABLE.test(tag) && compareVersions(tag, version) < 0)
    .reduce<string | undefined>(
      (newest, tag) => (newest === undefined || compareVersions(tag, newest) > 0 ? tag : newest),
      undefined,
    );
}

function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => (VERSION.exec(text) ?? []).slice(1, 4).map(Number));
  for (const [index, number] of (a ?? []).entries()) {
    const difference = number - (b?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Reads what a changelog tells of a commit. @param trailer the name of the trailer with the category */
export function changelogCommitOf({ oid, message }: Commit, trailer: string): ChangelogCommit {
  const category = trailersOf(message).find(({ name }) => name === trailer)?.value;
  const reverts: Oid[] = [];
  for (const [, reverted = ''] of message.matchAll(REVERTED)) {
    if (reverts.length < MAX_REVERTS) reverts.push(copyOf(reverted));
  }
  return {
    oid,
    title: copyOf(titleOf(message).slice(0, MAX_TITLE)),
    category: category === undefined ? null : copyOf(category.slice(0, MAX_CATEGORY)),
    reverts,
  };
}

/** Writes the section of a version: its commits by category, without those that were taken back. */
export function writeSection({ version, date, commits, addressOf }: ChangelogSection): string {
  const reverted = new Set(commits.flatMap(({ reverts }) => reverts));
  const categories = new Map<string, string[]>();
  for (const { oid, title, category } of commits) {
    if (category === null || reverted.has(oid)) continue;
    const entries = categories.get(category) ?? [];
    entries.push(`- [${title}](${addressOf(oid)})`);
    categories.set(category, entries);
  }
  const parts = [...categories].map(([category, entries]) => {
    const count = entries.length === 1 ? '1 change' : `${String(entries.length)} changes`;
    return `### ${category} (${count})\n\n${entries.join('\n')}\n`;
  });
  const heading = `## ${version.replace(/^v/, '')} (${date.toISOString().slice(0, 10)})`;
  return `${heading}\n\n${parts.length === 0 ? 'No changes.\n' : parts.join('\n')}`;
}

/**
 * Adds a section to a changelog, before the first section of an earlier version, else at the end.
 * @returns null if it has a section of the version already
 */
export function addSection(changelog: string, version: string, section: string): string | null {
  const lines = changelog === '' ? [] : changelog.trimEnd().split('\n');
  const headings = lines.flatMap((line, index) => {
    const [, found] = HEADING.exec(line) ?? [];
    return found !== undefined && isVersion(found) ? [{ index, found }] : [];
  });
  const plain = (text: string): string => text.replace(/^v/, '');
  if (headings.some(({ found }) => plain(found) === plain(version))) return null;
  const later = headings.find(({ found }) => compareVersions(found, version) < 0);
  const at = later?.index ?? lines.length;
  const before = lines.slice(0, at).join('\n').trimEnd();
  const after = lines.slice(at).join('\n');
  return [before, section.trimEnd(), after].filter((part) => part !== '').join('\n\n') + '\n';
}
