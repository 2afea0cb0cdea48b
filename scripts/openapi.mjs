// Writes the interface documents, openapi.json and openapi-v4.json, from the code, or with --check says whether they are up
// to date.
import { readFile } from 'node:fs/promises';
import { keepGenerated } from './generated.mjs';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main, Problem } from './problem.mjs';
import { tagByReference } from './reference-tags.mjs';

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
  const described = await describeApi(version);
  for (const { document, prefix } of described) await tagByReference(document, prefix);
  return described.map(({ file, document }) => ({
    file,
    text: `${JSON.stringify(document, null, 2)}\n`,
  }));
}

await main(async () => {
  await prepare({ dev: true });
  for (const { file, text } of await describe()) {
    await keepGenerated(file, text, { of: 'the code', by: 'npm run openapi' });
  }
});
