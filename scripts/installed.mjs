import { readFile } from 'node:fs/promises';
import { inRoot } from './paths.mjs';
import { runQuietly } from './child.mjs';

const packagesOf = async (path) => {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  return JSON.parse(text).packages ?? {};
};

/**
 * Whether node_modules holds what package-lock.json names: npm keeps a list of what it installed,
 * written last, so an installation that was cut short has none.
 * @param dev whether the packages for building and testing are needed too
 */
export async function isInstalled({ dev }) {
  const [wanted, present] = await Promise.all([
    packagesOf(inRoot('package-lock.json')),
    packagesOf(inRoot('node_modules', '.package-lock.json')),
  ]);
  return Object.entries(wanted).every(([path, entry]) => {
    const spared = path === '' || entry.optional || entry.devOptional || (entry.dev && !dev);
    return spared || present[path]?.version === entry.version;
  });
}

export async function install() {
  // Through npm scripts its own path is known; its configuration may leave out what is needed here.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  await (npm?.endsWith('.js')
    ? runQuietly(process.execPath, [npm, ...args])
    : runQuietly('npm', args));
}
