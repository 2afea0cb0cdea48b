// Writes openapi.json from the code, or with --check says whether it is up to date.
import { readFile, writeFile } from 'node:fs/promises';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main, Problem } from './problem.mjs';
import { tagByReference } from './reference-tags.mjs';

const FILE = inRoot('openapi.json');

const SCHEMAS = {
  introspectComments: true,
  classValidatorShim: false,
  esmCompatible: true,
  dtoFileNameSuffix: ['.view.ts'],
};

/** Compiles with the plugin of `@nestjs/swagger`, which makes the schemas. The service is built without it. */
async function compile() {
  const { default: ts } = await import('typescript');
  const { before } = await import('@nestjs/swagger/plugin');
  const onUnRecoverableConfigFileDiagnostic = ({ messageText }) => {
    throw new Problem(ts.flattenDiagnosticMessageText(messageText, '\n'));
  };
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(
    inRoot('tsconfig.openapi.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic },
  );
  const program = ts.createProgram(fileNames, options);
  program.emit(undefined, undefined, undefined, false, { before: [before(SCHEMAS, program)] });
}

async function describe() {
  await compile();
  await import('reflect-metadata');
  const { describeApi } = await import('../dist/openapi/src/bootstrap/describe-api.js');
  const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  const document = await describeApi(version);
  await tagByReference(document);
  return `${JSON.stringify(document, null, 2)}\n`;
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
