// Runs the example configurations of docker/ as they are, but for addresses, names and files.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.mjs';
import { run } from '../crash/processes.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
/** Of Debian's package libnginx-mod-stream. */
const STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so';
const example = (name) => readFile(path.join(ROOT, 'docker', name), 'utf8');

/** Replaces what an example has to have. */
function adapt(text, replacements) {
  let adapted = text;
  for (const [from, to] of replacements) {
    if (!adapted.includes(from)) throw new Error(`The example lacks ${from}`);
    adapted = adapted.replaceAll(from, to);
  }
  return adapted;
}

/** A certificate for localhost that nobody else trusts. @returns its files */
async function makeCertificate(folder) {
  const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')];
  const { code, stderr } = await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', key, '-out', certificate, '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost'],
  ]);
  if (code !== 0) throw new Error(stderr);
  return { key, certificate };
}

/** A running proxy: its https port, its plain one, that of SSH if it relays that too, and its certificate. */
async function launch(scratch, folder, { command, env, ports, certificate }) {
  const log = await open(path.join(folder, 'proxy.log'), 'a');
  const child = spawn(command[0], command.slice(1), {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', log.fd, log.fd],
  });
  const ended = once(child, 'close');
  scratch.defer(async () => {
    child.kill('SIGTERM');
    await ended;
    await log.close();
  });
  return { ...ports, ca: await readFile(certificate, 'utf8'), caFile: certificate };
}

async function startNginx(scratch, { upstream, ssh }) {
  const folder = path.join(scratch.folder, 'nginx');
  await mkdir(path.join(folder, 'temporary'), { recursive: true });
  const { key, certificate } = await makeCertificate(folder);
  const ports = { port: await freePort(), plainPort: await freePort(), sshPort: await freePort() };
  const http = adapt(await example('nginx/trellis.conf'), [
    ['server 127.0.0.1:3000;', `server 127.0.0.1:${upstream};`],
    ['listen 80;', `listen 127.0.0.1:${ports.plainPort};`],
    ['listen 443 ssl', `listen 127.0.0.1:${ports.port} ssl`],
    ['git.example.com;', 'localhost;'],
    ['/etc/ssl/trellis/fullchain.pem', certificate],
    ['/etc/ssl/trellis/privkey.pem', key],
  ]);
  const stream = adapt(await example('nginx/trellis-ssh.conf'), [
    ['server 127.0.0.1:2222;', `server 127.0.0.1:${ssh};`],
    ['listen 22;', `listen 127.0.0.1:${ports.sshPort};`],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${path.join(folder, 'temporary', name)};`,
  );
  const main = [
    `load_module ${STREAM_MODULE};`,
    'daemon off; error_log stderr; worker_processes 1;',
    `pid ${path.join(folder, 'nginx.pid')};`,
    'events {}',
    `http { access_log off; ${temporary.join(' ')} ${http} }`,
    stream,
  ];
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, main.join('\n'));
  const command = ['nginx', '-c', file, '-p', folder];
  return launch(scratch, folder, { command, ports, certificate });
}

async function startCaddy(scratch, { upstream }) {
  const folder = path.join(scratch.folder, 'caddy');
  await mkdir(folder, { recursive: true });
  const { key, certificate } = await makeCertificate(folder);
  const ports = { port: await freePort(), plainPort: await freePort() };
  const site = adapt(await example('caddy/Caddyfile'), [
    ['git.example.com {', `localhost {\n\ttls ${certificate} ${key}`],
    ['127.0.0.1:3000', `127.0.0.1:${upstream}`],
  ]);
  const file = path.join(folder, 'Caddyfile');
  const global = `{\n\tadmin off\n\thttp_port ${ports.plainPort}\n\thttps_port ${ports.port}\n}\n`;
  await writeFile(file, global + site);
  const command = ['caddy', 'run', '--adapter', 'caddyfile', '--config', file];
  return launch(scratch, folder, { command, ports, certificate });
}

/** The proxies that have an example, by their program. */
export const PROXIES = { nginx: startNginx, caddy: startCaddy };

const VERSION = { nginx: '-v', caddy: 'version' };

/** @returns {boolean} whether its program is installed, with the modules that its example needs */
export const isInstalled = (name) =>
  spawnSync(name, [VERSION[name]], { stdio: 'ignore' }).status === 0 &&
  (name !== 'nginx' || existsSync(STREAM_MODULE));
