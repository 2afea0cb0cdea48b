// Writes what says which variables there are, from the configuration's schema: .env.example, and the table of
// docs/configuration.md.
import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

const PAGE = inRoot('docs', 'configuration.md');
const TABLE = /(?<=^<!-- variables -->\n)[\s\S]*(?=^<!-- \/variables -->$)/m;

function row([name, { description, kind, default: value, unset, secret }]) {
  const names = secret === undefined ? `\`${name}\`` : `\`${name}\`, \`${name}_FILE\``;
  const standard = value === undefined ? unset : `\`${value}\``;
  return `| ${[names, description, kind.allowed, standard].join(' | ')} |`;
}

await main(async () => {
  await prepare({ dev: true });
  const { renderEnvExample, VARIABLES } = await import('../dist/src/platform/config/index.js');
  await writeFile(inRoot('.env.example'), renderEnvExample());

  const rows = Object.entries(VARIABLES).map(row);
  const header = ['| Variable | Meaning | Allowed | Unset |', '| --- | --- | --- | --- |'];
  const page = await readFile(PAGE, 'utf8');
  const text = page.replace(TABLE, () => `\n${[...header, ...rows].join('\n')}\n\n`);
  await writeFile(PAGE, await format(text, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
});
