import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** `## [0.1.0] - 2026-11-23` and the line below that names the commit. */
const RELEASE = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d\n\nCommit `([0-9a-f]{40})`\.$/gm;

/**
 * Returns the releases that the changelog names, newest first.
 * @returns {Promise<{ version: string, commit: string }[]>}
 */
export async function readReleases() {
  const changelog = await readFile(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
  return [...changelog.matchAll(RELEASE)].map(([, version, commit]) => ({ version, commit }));
}

/** The release from which one upgrades to the present code. */
export async function newestRelease() {
  const [newest] = await readReleases();
  if (newest === undefined) throw new Error('CHANGELOG.md names no release with its commit');
  return newest;
}
