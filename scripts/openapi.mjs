// Writes openapi.json from the code, or with --check says whether it is up to date.
import { readFile, writeFile } from 'node:fs/promises';
import { runQuietly } from './child.mjs';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main, Problem } from './problem.mjs';

const FILE = inRoot('openapi.json');

/** The schemas come from the compiler plugin of `@nestjs/swagger`, without which the service is built. */
const CONFIG = ['--config', 'nest-cli.openapi.json', '--path', 'tsconfig.openapi.json'];

async function describe() {
  await runQuietly(process.execPath, [
    inRoot('node_modules/@nestjs/cli/bin/nest.js'),
    'build',
    ...CONFIG,
  ]);
  await import('reflect-metadata');
  const { describeApi } = await import('../dist/openapi/src/roles/describe-api.js');
  const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  return `${JSON.stringify(await describeApi(version), null, 2)}\n`;
}

await main(async () => {
  await prepare({ dev: true });
  const described = await describe();
  if (!process.argv.includes('--check')) {
    await writeFile(FILE, described);
    console.log('openapi.json written.');
  } else if ((await readFile(FILE, 'utf8').catch(() => '')) !== described) {
    throw new Problem('openapi.json does not match the code: run `npm run openapi` and commit it.');
  }
});
