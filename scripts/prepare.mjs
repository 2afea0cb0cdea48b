// Brings a clone to where the service can run: checks Node and git, installs, builds. Does only what
// is missing, so that a second start costs next to nothing. Node's own modules only: nothing else
// is there yet.
import { fileURLToPath } from 'node:url';
import { build, isBuilt } from './built.mjs';
import { install, isInstalled } from './installed.mjs';
import { withLock } from './lock.mjs';
import { inRoot } from './paths.mjs';
import { main, say } from './problem.mjs';
import { checkGit, checkNode } from './versions.mjs';

/** What is still to be done. Building takes the packages that running does without. */
async function missing(dev) {
  const building = !(await isBuilt());
  const installing = !(await isInstalled({ dev: dev || building }));
  return { building, installing, any: building || installing };
}

async function timed(what, work) {
  say(`${what} …`);
  const begin = Date.now();
  await work();
  say(`done in ${((Date.now() - begin) / 1000).toFixed(1)} s`);
}

/**
 * @param dev whether the packages for building and testing are needed even when nothing is to be built
 * @throws Problem saying what is missing on this machine, or what failed
 */
export async function prepare({ dev }) {
  checkNode();
  await checkGit();
  if (!(await missing(dev)).any) return;
  const onWait = (pid) => say(`waiting for process ${pid}, which is installing or building here`);
  await withLock(inRoot('.prepare.lock'), onWait, async () => {
    const { building, installing } = await missing(dev);
    if (installing) await timed('installing packages (npm ci), which takes a minute', install);
    if (building) await timed('building', build);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(() => prepare({ dev: true }));
}
