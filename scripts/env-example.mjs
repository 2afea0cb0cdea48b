// Writes .env.example from the configuration's schema.
import { writeFile } from 'node:fs/promises';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

await main(async () => {
  await prepare({ dev: false });
  const { renderEnvExample } = await import('../dist/src/platform/config/index.js');
  await writeFile(inRoot('.env.example'), renderEnvExample());
});
