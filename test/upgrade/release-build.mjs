// The build of a release, made from the history of this clone and run with the packages of the present code.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './releases.mjs';

const run = promisify(execFile);
const git = (...args) => run('git', ['-C', ROOT, ...args]);

/** What a build is made of, and what it reads at run time. */
const SOURCES = ['src', 'ormconfig.ts', 'tsconfig.json'];
const RUNTIME = ['package.json', 'openapi*.json'];

/** @returns {Promise<'present' | 'missing' | 'cut off'>} cut off: a shallow clone, or a folder without history */
export async function findCommit(commit) {
  const isPresent = await git('cat-file', '-e', `${commit}^{commit}`).then(
    () => true,
    () => false,
  );
  if (isPresent) return 'present';
  const isWhole = await git('rev-parse', '--is-shallow-repository').then(
    ({ stdout }) => stdout === 'false\n' && existsSync(path.join(ROOT, '.git')),
    () => false,
  );
  return isWhole ? 'missing' : 'cut off';
}

/**
 * Builds a release into a folder of its own, in a second or two: types are not checked.
 * @returns {Promise<string>} the path of its `main.js`
 */
export async function buildRelease(commit, folder) {
  const archive = path.join(folder, 'source.tar');
  await mkdir(folder, { recursive: true });
  await git('archive', `--output=${archive}`, commit, ...SOURCES, ...RUNTIME);
  await run('tar', ['-xf', archive, '-C', folder]);
  const entries = await readdir(path.join(folder, 'src'), { recursive: true });
  const sources = entries.filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'));
  const files = ['ormconfig.ts', ...sources.map((name) => path.join('src', name))];
  // A clone in which nothing is installed yet loads this file, too.
  const { transform } = await import('@swc/core');
  await Promise.all(files.map((file) => compile(transform, folder, file)));
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return path.join(folder, 'dist', 'src', 'main.js');
}

async function compile(transform, folder, file) {
  const source = await readFile(path.join(folder, file), 'utf8');
  const { code } = await transform(source, {
    filename: file,
    swcrc: false,
    module: { type: 'nodenext' },
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true, tsx: file.endsWith('.tsx') },
      transform: {
        ...{ legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        react: { runtime: 'automatic', importSource: 'preact' },
      },
      keepClassNames: true,
    },
  });
  const target = path.join(folder, 'dist', file.replace(/\.tsx?$/, '.js'));
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, code);
}

/** What stands before the role on the command line of a release. */
export const commandOf = (version) => (version === '0.1.0' ? [] : ['start']);
