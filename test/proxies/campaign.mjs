// Runs the service behind nginx or Caddy with the example configurations of docker/, on loopback.
//
//   node test/proxies/campaign.mjs --proxy NAME [--megabytes NUMBER] [--silence SECONDS] [--seed NUMBER]
//
// --megabytes is the size of a push, --silence how long a response pauses.
import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { built } from '../crash/own-database.mjs';
import { freePort } from '../../scripts/free-port.mjs';
import { run, until } from '../crash/processes.mjs';
import { Scratch } from '../crash/scratch.mjs';
import { Service, TOKEN } from '../crash/service.mjs';
import { Api, Checkout } from '../upgrade/example.mjs';
import { isInstalled, PROXIES } from './proxies.mjs';
import { Tap } from './tap.mjs';

const { values: options } = parseArgs({
  options: {
    proxy: { type: 'string' },
    megabytes: { type: 'string', default: '30' },
    silence: { type: 'string', default: '2' },
    seed: { type: 'string', default: '0' },
  },
});
const MEGABYTE = 1024 * 1024;
const LIMIT_MS = 20_000;
/** Of the client, other than that of the proxy; Linux has all of 127.0.0.0/8. */
const CLIENT = '127.0.0.2';
const SPOOFED = '203.0.113.9';

class Trial {
  problems = [];

  constructor({ scratch, service, tap, proxy, sshPort }) {
    Object.assign(this, { scratch, service, tap, proxy, sshPort });
    this.direct = new Api(service.url);
  }

  check(what, isRight) {
    if (!isRight) this.problems.push(what);
    else console.log(`- ${what}`);
  }

  /** Sends a request to the proxy, and resolves with the response when its head is there. */
  request(route, { headers = {} } = {}) {
    return new Promise((resolve, reject) => {
      const request = https.request(
        {
          ...{ host: '127.0.0.1', port: this.proxy.port, servername: 'localhost', path: route },
          ...{ localAddress: CLIENT, ca: this.proxy.ca, agent: false },
          headers: { host: `localhost:${this.proxy.port}`, 'private-token': TOKEN, ...headers },
        },
        resolve,
      );
      request.once('error', reject);
      request.end();
    });
  }

  async read(route, how) {
    const response = await this.request(route, how);
    const hash = createHash('sha256');
    let text = '';
    for await (const part of response) {
      hash.update(part);
      if (text.length < MEGABYTE) text += part;
    }
    return {
      status: response.statusCode,
      headers: response.headers,
      text,
      hash: hash.digest('hex'),
    };
  }

  async prepare() {
    const project = await this.direct.post('/projects', { name: 'engine' });
    this.base = `/projects/${project.id}`;
    this.checkout = await Checkout.create(
      this.scratch.folder,
      `https://localhost:${this.proxy.port}`,
      'root/engine',
      { GIT_SSL_CAINFO: this.proxy.caFile },
    );
    const isUp = () =>
      this.read('/healthz').then(
        ({ status }) => status === 200,
        () => false,
      );
    if (!(await until(isUp, LIMIT_MS))) throw new Error('The proxy does not serve');
  }

  async push() {
    const { checkout, tap } = this;
    const file = path.join(checkout.folder, 'random.bin');
    for (let left = Number(options.megabytes); left > 0; left -= 10) {
      await writeFile(file, randomBytes(Math.min(left, 10) * MEGABYTE), { flag: 'a' });
    }
    await checkout.git('add', '--all');
    await checkout.commit('a file.txt', 'Begin');
    await checkout.git('branch', 'feature/one');
    await checkout.push('master', 'feature/one');
    const head = tap.headOf('git-receive-pack') ?? '';
    this.check(
      `a push of ${options.megabytes} MB comes in one chunked body`,
      /^transfer-encoding: chunked$/im.test(head),
    );
    const clone = path.join(this.scratch.folder, 'clone');
    await checkout.git('clone', '--quiet', checkout.remote, clone);
    const [sent, cloned] = await Promise.all(
      [checkout.folder, clone].map((folder) => readFile(path.join(folder, 'random.bin'))),
    );
    this.check('and a clone has it', sent.equals(cloned));
  }

  async checkPaths() {
    for (const route of [
      '/projects/root%2Fengine',
      '/projects/root%2fengine',
      `${this.base}/repository/branches/feature%2Fone`,
      `${this.base}/repository/files?file_path=a%20file.txt&ref=feature%2Fone`,
      `/projects/root%2Fengine/repository/blobs/master?filepath=a+file.txt`,
      '/projects?search=%25%2F&per_page=1',
    ]) {
      const { status } = await this.read(`/api/v3${route}`);
      const isUnchanged = this.tap.hasSent(`GET /api/v3${route} HTTP/1.1`);
      this.check(`${route} is served, unchanged on its way`, status === 200 && isUnchanged);
    }
  }

  /** The service gets the beginning of a body before its end, and the client that of a response. */
  async checkStreaming() {
    const command = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/streamed\0 report-status`;
    const line = (command.length + 4).toString(16).padStart(4, '0') + command;
    const request = https.request({
      ...{ host: '127.0.0.1', port: this.proxy.port, servername: 'localhost', ca: this.proxy.ca },
      ...{ method: 'POST', path: '/root/engine.git/git-receive-pack', agent: false },
      headers: {
        host: `localhost:${this.proxy.port}`,
        authorization: `Basic ${Buffer.from(`root:${TOKEN}`).toString('base64')}`,
        'content-type': 'application/x-git-receive-pack-request',
        'transfer-encoding': 'chunked',
      },
    });
    request.on('error', () => undefined);
    request.write(line);
    // Caddy passes on what fills its buffer.
    request.write(Buffer.concat([Buffer.from('0000PACK'), randomBytes(64 * 1024)]));
    const isSent = await until(() => this.tap.hasSent('refs/heads/streamed'), LIMIT_MS);
    this.check('a body is passed on while it comes in', isSent);
    request.destroy();

    const route = `/api/v3${this.base}/repository/archive`;
    const before = await this.read(route);
    const reference = await fetch(`${this.service.url}${route}`, {
      headers: { 'private-token': TOKEN },
    });
    const direct = createHash('sha256').update(Buffer.from(await reference.arrayBuffer()));
    this.check('an archive is as the service sends it', before.hash === direct.digest('hex'));
    this.tap.hold(4 * MEGABYTE);
    const response = await this.request(route);
    let received = 0;
    response.on('data', (part) => (received += part.length));
    const ended = new Promise((resolve) => response.once('close', resolve));
    this.check(
      'a download is passed on while it comes',
      await until(() => received > 3 * MEGABYTE, LIMIT_MS),
    );
    await delay(Number(options.silence) * 1000);
    const isPaused = !response.complete;
    this.tap.release();
    await ended;
    this.check(`and outlives a silence of ${options.silence} s`, isPaused && response.complete);
  }

  async checkForwarding() {
    const headers = { 'x-forwarded-for': SPOOFED, 'x-forwarded-proto': 'ftp' };
    await this.read('/api/v3/version?forwarded', { headers });
    const head = this.tap.headOf('/api/v3/version?forwarded') ?? '';
    this.check("the client's address is forwarded", /^x-forwarded-for: 127\.0\.0\.2$/im.test(head));
    this.check('and not what it says of itself', !head.includes(SPOOFED));
    this.check('so is the scheme', /^x-forwarded-proto: https$/im.test(head));
    this.check('and the name', /^host: localhost/im.test(head));
    // Limits by address have the same address as the log; loopback is exempt from them.
    const isLogged = async () =>
      (await readFile(this.service.logFile, 'utf8'))
        .split('\n')
        .some((line) => line.includes('version?forwarded') && line.includes(`"${CLIENT}"`));
    this.check('the service takes it for that of the client', await until(isLogged, LIMIT_MS));
  }

  async checkPlain() {
    const url = `http://127.0.0.1:${this.proxy.plainPort}/root/engine?x=%2F`;
    const response = await fetch(url, { redirect: 'manual', headers: { host: 'localhost' } });
    const location = response.headers.get('location') ?? '';
    this.check(
      'http leads to https',
      [301, 308].includes(response.status) && /^https:/.test(location),
    );
  }

  async checkSsh() {
    const key = path.join(this.scratch.folder, 'key');
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const line = (await readFile(`${key}.pub`, 'utf8')).trim();
    await this.direct.post('/user/keys', { title: 'trial', key: line });
    const ssh = [
      ...['ssh', '-F', '/dev/null', '-i', key, '-o', 'IdentitiesOnly=yes'],
      ...[
        '-o',
        'StrictHostKeyChecking=no',
        '-o',
        'UserKnownHostsFile=/dev/null',
        '-o',
        'LogLevel=ERROR',
      ],
    ];
    const { checkout, proxy } = this;
    await checkout.git('config', 'core.sshCommand', ssh.join(' '));
    const remote = `ssh://git@127.0.0.1:${proxy.sshPort}/root/engine.git`;
    const refs = await checkout.git('ls-remote', remote);
    this.check('SSH is passed on', refs.includes('refs/heads/feature/one'));
  }

  async runAll() {
    await this.prepare();
    await this.push();
    await this.checkPaths();
    await this.checkStreaming();
    await this.checkForwarding();
    await this.checkPlain();
    if (this.proxy.sshPort !== undefined) await this.checkSsh();
    return this.problems;
  }
}

const scratch = await Scratch.open('trellis-proxies-');

async function tryProxy(name) {
  const start = PROXIES[name];
  if (start === undefined)
    throw new Error(`--proxy takes one of ${Object.keys(PROXIES).join(', ')}`);
  if (!isInstalled(name)) return [`${name} is not installed`];
  const ssh = await freePort();
  const service = new Service({
    main: built('main.js'),
    folder: scratch.folder,
    environment: {
      SSH_PORT: String(ssh),
      TRUSTED_PROXIES: '127.0.0.1',
      EXTERNAL_URL: 'https://localhost',
    },
  });
  scratch.defer(() => service.destroy());
  await service.start();
  const tap = new Tap(service.port);
  await tap.start();
  scratch.defer(() => tap.stop());
  const proxy = await start(scratch, { upstream: tap.port, ssh });
  const problems = await new Trial({ scratch, service, tap, proxy }).runAll();
  return [...problems, ...(await service.stop())];
}

await scratch.judge(() => tryProxy(options.proxy), {
  seed: options.seed,
  success: `Behind ${options.proxy}, everything is as without it.`,
});
