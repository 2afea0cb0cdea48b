// A PgBouncer in transaction mode, of the script's own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { freePort } from '../../scripts/free-port.mjs';
import { until } from '../crash/processes.mjs';

const READY_MS = 10_000;
/** Fewer than the processes of the service have connections, so that each transaction gets another session. */
const SESSIONS = 6;

export class OwnPooler {
  #child;

  /** @param url of the database, with a password */
  constructor(folder, port, url) {
    Object.assign(this, { folder, port, direct: new URL(url) });
  }

  /** Starts one below the scratch folder, in front of a database. */
  static async start(scratch, url) {
    const folder = path.join(scratch.folder, 'pooler');
    await mkdir(folder);
    // It drops the rights of root before it opens its files.
    await chmod(scratch.folder, 0o711);
    const pooler = new OwnPooler(folder, await freePort(), url);
    await pooler.#configure();
    await pooler.resume();
    scratch.defer(() => pooler.kill());
    return pooler;
  }

  get url() {
    const url = new URL(this.direct);
    url.port = String(this.port);
    return url.href;
  }

  async resume() {
    const account = process.getuid() === 0 ? ['-u', 'postgres'] : [];
    const file = path.join(this.folder, 'pgbouncer.ini');
    this.#child = spawn('pgbouncer', ['-q', ...account, file], { stdio: 'ignore' });
    if (!(await until(() => this.#answers(), READY_MS)))
      throw new Error('pgbouncer does not start');
  }

  async kill() {
    const { exitCode, signalCode } = this.#child ?? {};
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async #answers() {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end();
    }
  }

  async #configure() {
    const { username, password, hostname, port, pathname } = this.direct;
    const users = path.join(this.folder, 'users.txt');
    await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
    const lines = [
      '[databases]',
      `${pathname.slice(1)} = host=${hostname} port=${port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${this.port}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      `default_pool_size = ${SESSIONS}`,
      'max_client_conn = 200',
    ];
    await writeFile(path.join(this.folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`);
    for (const name of ['pgbouncer.ini', 'users.txt'])
      await chmod(path.join(this.folder, name), 0o644);
    await chmod(this.folder, 0o755);
  }
}
