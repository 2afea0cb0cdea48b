import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
}

let known: Manifest | undefined;

/** Name and version from `package.json`, read once. */
function manifest(): Manifest {
  known ??= JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as Manifest;
  return known;
}

/** The folder of `package.json`. The sources and what is built of them lie at different depths below it. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}

/** Left by `npm run build`: a digest of everything that was built. */
const BUILD_STAMP = path.join('dist', '.built-from');

/** Of a program that `npm run build` did not build. */
const UNKNOWN_BUILD = randomUUID();

/** Identifies what was built, in all processes alike; if that is unknown, it identifies the process. */
export function buildOf(folder: string): string {
  const stamp = path.join(folder, BUILD_STAMP);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : UNKNOWN_BUILD;
}

/** Left by `npm run build`: the commit that was built, or what distinguishes the build where that is unknown. */
const COMMIT_STAMP = path.join('dist', '.commit');

let knownVersion: string | undefined;

/** The version with the commit that was built, such as `0.2.0+590df2c`, read once. */
export function programVersion(): string {
  knownVersion ??= [manifest().version, ...readCommit()].join('+');
  return knownVersion;
}

function readCommit(): string[] {
  const stamp = path.join(packageRoot(), COMMIT_STAMP);
  return existsSync(stamp) ? [readFileSync(stamp, 'utf8')] : [];
}

/** What the service calls itself towards other servers: `<service>/<version>`. */
export const userAgent = (): string => `${manifest().name}/${programVersion()}`;
