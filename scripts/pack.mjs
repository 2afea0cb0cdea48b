// Before and after `npm pack`: builds, and packs the locked versions of all packages, so that an installation gets those
// that were tested. npm takes them from npm-shrinkwrap.json alone, and would prefer that file in a clone, too.
import { copyFile, rm } from 'node:fs/promises';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

const SHRINKWRAP = inRoot('npm-shrinkwrap.json');

await main(async () => {
  if (process.argv.includes('--after')) {
    await rm(SHRINKWRAP, { force: true });
  } else {
    await prepare({ dev: true });
    await copyFile(inRoot('package-lock.json'), SHRINKWRAP);
  }
});
