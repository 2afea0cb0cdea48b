// Runs the service in a role, in this very process: signals reach it, and its exit code is ours.
import { pathToFileURL } from 'node:url';
import { MAIN } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

const [role = 'all', ...rest] = process.argv.slice(2);

await main(async () => {
  await prepare({ dev: false });
  process.argv = [process.argv[0], MAIN, role, ...rest];
  await import(pathToFileURL(MAIN).href);
});
