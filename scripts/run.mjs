// Runs the command line in this very process, as `trellis` does where the package is installed: signals reach it, and its
// exit code is ours.
import { pathToFileURL } from 'node:url';
import { MAIN } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

await main(async () => {
  await prepare({ dev: false });
  process.argv[1] = MAIN;
  await import(pathToFileURL(MAIN).href);
});
