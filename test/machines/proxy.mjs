// The haproxy in front of the api processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../scripts/free-port.mjs';
import { kill, until } from '../crash/processes.mjs';
import { OWN_HOST } from './network.mjs';

const START_MS = 10_000;

export class Proxy {
  #child;

  constructor({ folder, services }) {
    Object.assign(this, { folder, services });
  }

  async start() {
    const port = await freePort();
    this.url = `http://${OWN_HOST}:${port}`;
    const file = path.join(this.folder, 'haproxy.cfg');
    await writeFile(file, this.#configuration(port));
    this.#child = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: 'inherit' });
    const isUp = () =>
      fetch(`${this.url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    if (!(await until(isUp, START_MS))) throw new Error('haproxy does not serve');
  }

  async stop() {
    if (this.#child === undefined || this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    kill(this.#child.pid);
    await ended;
  }

  /**
   * Requests are sent again only where nothing of them can have arrived. While only the queue is away, processes serve
   * (`docs/operations.md#health`).
   */
  #configuration(port) {
    const servers = this.services.map(
      ({ machine, port: own }) => `server ${machine.name} ${machine.host}:${own} check`,
    );
    return [
      'defaults',
      '  mode http',
      '  balance roundrobin',
      '  option http-keep-alive',
      '  option redispatch 1',
      '  retries 2',
      '  timeout connect 2s',
      '  timeout client 60s',
      '  timeout server 60s',
      '  option httpchk GET /readyz',
      String.raw`  http-check expect rstring '"status":"ok"|"failing":\["queue"\]'`,
      '  default-server inter 1s fall 2 rise 2 on-marked-down shutdown-sessions',
      `listen trellis`,
      `  bind ${OWN_HOST}:${port}`,
      ...servers.map((server) => `  ${server}`),
      '',
    ].join('\n');
  }
}
