import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot, MAIN } from './paths.mjs';
import { runQuietly } from './child.mjs';
import { stampCommit, updateCommit } from './commit.mjs';

const STAMP = inRoot('dist', '.built-from');
const PLAN = 'nest-cli.json';
const INPUTS = ['ormconfig.ts', 'tsconfig.json', PLAN, 'package-lock.json'];
/** Nest's command line reads this file, too, where somebody has it. */
const { sourceRoot: SOURCES, compilerOptions } = JSON.parse(readFileSync(inRoot(PLAN), 'utf8'));

/** A mark of everything the build reads: two equal ones give the same build. */
async function fingerprint() {
  const entries = await readdir(inRoot(SOURCES), { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((entry) => entry.isFile())
    // Node before 20.12 names the folder `path`.
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  const hash = createHash('sha256');
  for (const file of [...INPUTS.map((name) => inRoot(name)), ...sources.sort()]) {
    const content = await readFile(file);
    hash.update(`${path.relative(inRoot(), file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Whether the build is up to date. Another commit of the same sources needs no build, and is noted. */
export async function isBuilt() {
  const stamp = await readFile(STAMP, 'utf8').catch(() => '');
  if (!existsSync(MAIN) || stamp !== (await fingerprint())) return false;
  await updateCommit([SOURCES, ...INPUTS]);
  return true;
}

export async function build() {
  // Taken before: a file changed during the build must count as changed after it.
  const stamp = await fingerprint();
  if (compilerOptions.deleteOutDir) await rm(inRoot('dist'), { recursive: true, force: true });
  await runQuietly(process.execPath, [inRoot('node_modules/typescript/bin/tsc')]);
  await copyExplorer();
  await stampCommit({ inputs: [SOURCES, ...INPUTS], fingerprint: stamp });
  await writeFile(STAMP, stamp);
}

/**
 * The files of Swagger UI that browsers load. Its package is not a dependency of the service, since its installation
 * reports to a third party.
 */
async function copyExplorer() {
  const folder = inRoot('dist', 'explorer');
  await mkdir(folder, { recursive: true });
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']) {
    await cp(inRoot('node_modules', 'swagger-ui-dist', name), path.join(folder, name));
  }
}
