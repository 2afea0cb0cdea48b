// Installs clients from npm, each in a folder of its own, and from Debian, where what is added is removed at the end.
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { NODE_PACKAGE } from '../node/releases.mjs';
import { run } from '../crash/processes.mjs';

/** Where npm puts the release of Node that a client needs. */
export const nodeFolder = (folder) =>
  path.join(folder, 'node', 'node_modules', NODE_PACKAGE, 'bin');

/** @returns {Promise<{ lack?: string, remove: () => Promise<void> }>} why it cannot be installed here, and what takes it away */
export async function install(scratch, client, folder) {
  const { browser } = client;
  if (browser !== undefined && !existsSync(browser)) {
    return { lack: `it needs ${browser}`, remove: nothing };
  }
  return client.registry === 'npm'
    ? installFromNpm(client, folder)
    : installFromDebian(scratch, client);
}

async function installFromNpm({ packages, node }, folder) {
  const specs = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  await writeFile(path.join(folder, 'package.json'), '{"private":true}');
  const env = { ...process.env };
  if (node !== undefined) {
    await npm(path.join(folder, 'node'), [`${NODE_PACKAGE}@${node}`], env);
    env.PATH = nodeFolder(folder) + path.delimiter + env.PATH;
  }
  await npm(folder, specs, env);
  return { remove: () => rm(folder, { recursive: true, maxRetries: 10 }) };
}

async function npm(folder, specs, env) {
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const args = ['install', '--prefix', folder, ...quietly, ...specs];
  const { code, stderr } = await run('npm', args, { cwd: '/', env });
  if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with ${code}:\n${stderr}`);
}

const nothing = async () => undefined;

async function installFromDebian(scratch, { packages }) {
  const isThere = await apt('--version').then(
    ({ code }) => code === 0,
    () => false,
  );
  if (process.getuid?.() !== 0 || !isThere)
    return { lack: 'it needs root and apt', remove: nothing };
  const specs = Object.entries(packages).map(([name, version]) => `${name}=${version}`);
  let plan = await apt('--simulate', 'install', ...specs);
  if (plan.code !== 0) {
    await apt('update');
    plan = await apt('--simulate', 'install', ...specs);
  }
  if (plan.code !== 0) return { lack: `apt has no ${specs.join(', ')}`, remove: nothing };
  const named = (what) => [...plan.stdout.matchAll(what)].map(([, name]) => name);
  const removed = named(/^Remv (\S+)/gm);
  if (removed.length > 0) return { lack: `it displaces ${removed.join(', ')}`, remove: nothing };
  const added = named(/^Inst (\S+)/gm);
  const remove = async () => {
    const purged = added.splice(0);
    if (purged.length > 0) await succeed('purge', ...purged);
  };
  // Also when the campaign is interrupted.
  scratch.defer(remove);
  await succeed('install', ...specs);
  return { remove };
}

async function succeed(...args) {
  const { code, stderr } = await apt(...args);
  if (code !== 0) throw new Error(`apt-get ${args.join(' ')} ended with ${code}:\n${stderr}`);
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return run('apt-get', ['-y', '--no-install-recommends', ...args], { env });
}
