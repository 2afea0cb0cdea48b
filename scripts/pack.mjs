// Before and after `npm pack`: builds, and has an installation get the packages that were tested.
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

/** npm takes the locked versions of an unpacked package from this file alone, and would prefer it in a clone, too. */
const SHRINKWRAP = inRoot('npm-shrinkwrap.json');

const readJson = async (file) => JSON.parse(await readFile(file, 'utf8'));

/**
 * Writes what `overrides` change into the packages themselves. npm heeds overrides in a clone only: where the package is installed, it
 * would warn of these packages and look for others.
 */
async function applyOverrides() {
  const { dependencies, overrides } = await readJson(inRoot('package.json'));
  for (const [name, changes] of Object.entries(overrides)) {
    if (typeof changes === 'string') continue;
    const file = inRoot('node_modules', name, 'package.json');
    const manifest = await readJson(file);
    for (const kind of [manifest.dependencies, manifest.peerDependencies]) {
      for (const [dependency, version] of Object.entries(changes)) {
        if (kind?.[dependency]) kind[dependency] = dependencies[version.slice(1)];
      }
    }
    // Not written in place: the file may be a link to that of another clone.
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, JSON.stringify(manifest, null, 2));
    await rename(draft, file);
  }
}

// Other accounts read what is installed from the package, whatever the umask of its maker is.
process.umask(0o022);

await main(async () => {
  if (process.argv.includes('--after')) {
    await rm(SHRINKWRAP, { force: true });
  } else {
    await prepare({ dev: true });
    await applyOverrides();
    await copyFile(inRoot('package-lock.json'), SHRINKWRAP);
  }
});
