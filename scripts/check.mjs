// Everything a change has to pass: types, lint, format, the interface document, the page of permissions,
// the site of the documents, `npm test`. Goes on after a failure, so that one run shows all failures. With --without-tests, all but the tests.
import { runNode } from './child.mjs';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

const bin = (...names) => inRoot('node_modules', ...names);

const STEPS = [
  { name: 'types', args: [bin('typescript/bin/tsc'), '-p', 'tsconfig.check.json'] },
  { name: 'lint', args: [bin('eslint/bin/eslint.js'), '.', '--max-warnings', '0'] },
  {
    name: 'format',
    args: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'],
  },
  { name: 'openapi', args: [inRoot('scripts/openapi.mjs'), '--check'] },
  { name: 'permissions', args: [inRoot('scripts/permissions.mjs'), '--check'] },
  { name: 'resources', args: [inRoot('scripts/resources.mjs'), '--check'] },
  { name: 'docs', args: [inRoot('scripts/docs.mjs')] },
];
const TESTS = { name: 'tests', args: [inRoot('scripts/test.mjs')] };
const AT_A_TIME = 2;

async function carryOut({ name, args }, stdio) {
  const begin = Date.now();
  const { code, output } = await runNode(args, { stdio });
  const seconds = ((Date.now() - begin) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(11)} ${seconds.padStart(6)} s`);
  if (code !== 0 && output) console.log(output.trimEnd());
  return { name, code, seconds };
}

async function sideBySide(steps) {
  const waiting = [...steps];
  const done = [];
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      done.push(await carryOut(step, 'pipe'));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return done;
}

await main(async () => {
  await prepare({ dev: true });
  const results = await sideBySide(STEPS);
  if (!process.argv.includes('--without-tests')) results.push(await carryOut(TESTS, 'inherit'));
  const failed = results.filter(({ code }) => code !== 0).map(({ name }) => name);
  console.log(failed.length === 0 ? 'check: all passed' : `check: failed: ${failed.join(', ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
});
