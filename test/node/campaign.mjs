// Installs releases of Node by npm, and on each of them the package in every way that docs/install.md has, and runs end-to-end suites.
//
//   node test/node/campaign.mjs [--releases 20.19,26] [--samples users,git] [--seed NUMBER]
//
// --samples runs one suite of each of these folders instead of all. Needs the npm registry.
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { FOLDERS } from '../../scripts/changed/rules.mjs';
import { runToEnd, WITHOUT_CACHE } from '../../scripts/child.mjs';
import { inRoot } from '../../scripts/paths.mjs';
import { run } from '../crash/processes.mjs';
import { Scratch } from '../crash/scratch.mjs';
import { RELEASES, NODE_PACKAGE } from './releases.mjs';

const { values: options } = parseArgs({
  options: {
    releases: { type: 'string', default: RELEASES.join(',') },
    samples: { type: 'string' },
    seed: { type: 'string', default: '0' },
  },
});
/** What npm warns of where a package does not fit. */
const MISFIT = /EBADENGINE|ERESOLVE/;

const suites = () =>
  options.samples === undefined
    ? ['test/e2e']
    : options.samples.split(',').map((name) => `test/e2e/${name}/${FOLDERS[name].sample}.spec.ts`);

/** Runs a command to its end. @throws Error with all that it said when it fails */
async function succeed(file, args, { cwd, env }) {
  const { code, stdout, stderr } = await run(file, args, { cwd, env });
  if (code !== 0) throw new Error(`${[file, ...args].join(' ')} ended with ${code}:\n${stderr}`);
  return { stdout, stderr };
}

/** Serves with an installed program until it answers, and ends it. */
async function serve(command, { cwd, env }) {
  const script = `
    "$@" start > service.log 2>&1 & service=$!
    until grep -q 'Trellis serves at' service.log; do kill -0 $service || { cat service.log >&2; exit 1; }; sleep 0.2; done
    kill $service && wait $service`;
  await succeed('sh', ['-c', script, 'serve', ...command], {
    cwd,
    env: { ...env, PORT: '0', SSH_PORT: 'off' },
  });
}

async function tryRelease(release, { folder, tarball, version }) {
  const home = path.join(folder, release);
  const ways = ['node', 'global', 'npx', 'unpacked'].map((name) => path.join(home, name));
  for (const way of ways) await mkdir(way, { recursive: true });
  const [node, global, npx, unpacked] = ways;
  const here = { cwd: home, env: process.env };
  await succeed('npm', ['install', '--prefix', node, `${NODE_PACKAGE}@${release}`], here);
  const bin = path.join(node, 'node_modules', NODE_PACKAGE, 'bin');
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
  const { stdout: found } = await succeed('node', ['--version'], { cwd: home, env });
  console.log(`- Node ${found.trim()}`);

  const complaints = [];
  const program = path.join(global, 'bin', 'trellis');
  const install = ['install', '--global', '--prefix', global, tarball];
  complaints.push((await succeed('npm', install, { cwd: home, env })).stderr);
  const shown = [await succeed(program, ['--version'], { cwd: home, env })];
  await serve([program], { cwd: global, env });
  // An absolute path would be run as a program.
  const file = `./${path.basename(tarball)}`;
  await copyFile(tarball, path.join(npx, file));
  const start = await succeed('npx', ['--yes', file, '--version'], { cwd: npx, env });
  complaints.push(start.stderr);
  shown.push(start);
  await succeed('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'], here);
  complaints.push((await succeed('npm', ['ci', '--omit=dev'], { cwd: unpacked, env })).stderr);
  await serve(['node', 'dist/src/main.js'], { cwd: unpacked, env });

  const problems = complaints.filter((text) => MISFIT.test(text));
  for (const { stdout } of shown) {
    if (stdout.trim() !== version) problems.push(`${stdout.trim()} instead of ${version}`);
  }
  const args = [inRoot('scripts/test.mjs'), ...suites()];
  const { code } = await runToEnd(path.join(bin, 'node'), args, { env, stdio: 'inherit' });
  if (code !== 0) problems.push('end-to-end suites failed');
  return problems.map((problem) => `Node ${release}: ${problem}`);
}

Object.assign(process.env, WITHOUT_CACHE);
const scratch = await Scratch.open('trellis-node-');
await scratch.judge(
  async () => {
    const { folder } = scratch;
    const pack = ['pack', '--silent', '--pack-destination', folder];
    const { stdout } = await succeed('npm', pack, { cwd: inRoot(), env: process.env });
    const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
    const commit = await readFile(inRoot('dist/.commit'), 'utf8');
    const tried = {
      folder,
      tarball: path.join(folder, stdout.trim()),
      version: `${version}+${commit}`,
    };
    const problems = [];
    for (const release of options.releases.split(',')) {
      problems.push(...(await tryRelease(release, tried)));
    }
    return problems;
  },
  { seed: options.seed, success: `Trellis runs on Node ${options.releases}` },
);
