/** @operation */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  cp,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import request from 'supertest';
import { runCommand } from '../../support/commands.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { ownQueues } from '../../support/own-queues.js';
import { ServiceProcess } from '../../support/service-process.js';
import { git } from '../../unit/git/support/workshop.js';
import { until } from '../../support/until.js';

jest.setTimeout(300_000);

const TOKEN = 'token-of-the-administrator';
const PASSWORD = 'password of the administrator';
const HOOK = { url: 'http://hooks.example.com/', token: 'a secret of the hook' };

interface BackupOutput {
  path: string;
  files: number;
  bytesCopied: number;
  bytesReused: number;
  keys: boolean;
}

describe('trellis backup and trellis restore', () => {
  let folder: string;
  let queues: Record<string, string>;
  let url: string;
  let backups: string;
  let passphrase: string;
  const services: ServiceProcess[] = [];
  const databases: TestDatabase[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-backup-'));
    backups = path.join(folder, 'backups');
    passphrase = path.join(folder, 'passphrase');
    await writeFile(passphrase, 'correct horse battery staple\n');
    queues = await ownQueues();
    url = await start('original').url();
    await fill();
  });

  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill('SIGTERM')));
    await Promise.all(databases.map((database) => database.drop()));
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const environment = (env: Record<string, string>): Record<string, string> => ({
    ...{ ROOT_TOKEN: TOKEN, ROOT_PASSWORD: PASSWORD, SSH_PORT: '0' },
    ...queues,
    ...env,
  });

  /** Runs a command in a process of its own. */
  function run(args: readonly string[], env: Record<string, string>): ServiceProcess {
    const service = ServiceProcess.run(args, environment(env));
    services.push(service);
    return service;
  }

  const dataDir = (name: string): string => path.join(folder, name);

  const start = (name: string): ServiceProcess => run(['start'], { DATA_DIR: dataDir(name) });

  /** Runs a command in this process. */
  async function trellis(args: readonly string[], env: Record<string, string>) {
    const { code, output, notes } = await runCommand(args, environment(env));
    return { code, output: `${notes}${output}` };
  }

  async function emptyDatabase(): Promise<TestDatabase> {
    const database = await createDatabase({ isEmpty: true });
    databases.push(database);
    return database;
  }

  async function backUp(to: string, ...options: string[]): Promise<BackupOutput> {
    const args = ['backup', '--to', to, '--passphrase-file', passphrase, '--json', ...options];
    const { code, output } = await trellis(args, { DATA_DIR: dataDir('original') });
    expect([code, output]).toEqual([0, expect.any(String)]);
    return JSON.parse(output.slice(output.indexOf('{'))) as BackupOutput;
  }

  const restore = (from: string, env: Record<string, string>, ...options: string[]) =>
    trellis(['restore', '--from', from, '--passphrase-file', passphrase, ...options], env);

  const api = (base: string, verb: 'get' | 'post', target: string) =>
    request(base)[verb](`/api/v3${target}`).set('PRIVATE-TOKEN', TOKEN);

  async function fill(): Promise<void> {
    await api(url, 'post', '/projects').send({ name: 'kept' }).expect(200);
    await commit('first.txt');
    await pushNotes();
    await api(url, 'post', '/projects/root%2Fkept/issues').send({ title: 'Kept' }).expect(200);
    await api(url, 'post', '/projects/root%2Fkept/hooks').send(HOOK).expect(200);
    await api(url, 'post', '/projects/root%2Fkept/uploads')
      .attach('file', Buffer.from('content'), { filename: 'notes.txt' })
      .expect(200);
  }

  async function commit(file: string): Promise<void> {
    const actions = [{ action: 'create', file_path: file, content: 'text\n' }];
    await api(url, 'post', '/projects/root%2Fkept/repository/commits')
      .send({ branch_name: 'master', commit_message: `Add ${file}`, actions })
      .expect(200);
  }

  const remoteOf = (base: string): string =>
    `${base.replace('http://', `http://root:${TOKEN}@`)}/root/kept.git`;

  async function pushNotes(): Promise<void> {
    const cwd = path.join(folder, 'noted');
    await git(['clone', '--quiet', remoteOf(url), cwd]);
    await git(['notes', 'add', '--message', 'Released'], { cwd });
    await git(['push', '--quiet', 'origin', 'refs/notes/commits'], { cwd });
  }

  /** What the API shows of an instance. */
  async function shown(base: string): Promise<unknown> {
    const targets = ['repository/branches', 'repository/commits', 'issues', 'hooks', 'events'];
    const bodies = targets.map(async (target) => {
      const { body } = await api(base, 'get', `/projects/root%2Fkept/${target}`).expect(200);
      return body as unknown;
    });
    return Promise.all(bodies);
  }

  async function filesBelow(root: string): Promise<string[]> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
  }

  /** Copies a backup, and changes the copy. */
  async function changed(name: string, change: (backup: string) => Promise<void>): Promise<string> {
    const copy = path.join(folder, name);
    await cp(path.join(backups, await readlink(path.join(backups, 'latest'))), copy, {
      recursive: true,
    });
    await change(copy);
    return copy;
  }

  /** Replaces a file of a backup, and its checksum accordingly. */
  async function forge(backup: string, file: string, text: string): Promise<void> {
    await writeFile(path.join(backup, file), text);
    const sums = path.join(backup, 'SHA256SUMS');
    const sum = createHash('sha256').update(text).digest('hex');
    const lines = (await readFile(sums, 'utf8')).split('\n');
    const forged = lines.map((line) => (line.endsWith(`  ${file}`) ? `${sum}  ${file}` : line));
    await writeFile(sums, forged.join('\n'));
  }

  /** Changes the manifest of a backup, and its checksum accordingly. */
  const withManifest = (name: string, change: (manifest: Record<string, unknown>) => void) =>
    changed(name, async (backup) => {
      const file = path.join(backup, 'manifest.json');
      const manifest = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
      change(manifest);
      await forge(backup, 'manifest.json', JSON.stringify(manifest));
    });

  it('copies a running instance, for its owner only, and later only new files', async () => {
    const first = await backUp(backups);
    expect(first).toMatchObject({ keys: true, bytesReused: 0 });
    expect(await readlink(path.join(backups, 'latest'))).toBe(path.basename(first.path));
    for (const file of await filesBelow(first.path)) {
      expect([file, (await lstat(file)).mode & 0o777]).toEqual([file, 0o600]);
      expect((await lstat(path.dirname(file))).mode & 0o777).toBe(0o700);
    }
    await commit('second.txt');
    const second = await backUp(backups);
    const uploads = await filesBelow(path.join(first.path, 'uploads'));
    expect(uploads).toHaveLength(1);
    for (const upload of uploads) {
      const copy = path.join(second.path, path.relative(first.path, upload));
      expect((await stat(copy)).ino).toBe((await stat(upload)).ino);
    }
    expect(second.bytesReused).toBeGreaterThan(0);
  });

  it('omits the keys without a passphrase, reports it, and exits with 4', async () => {
    const to = path.join(folder, 'without-keys.tar.gz');
    const { code, output } = await trellis(['backup', '--to', to], {
      DATA_DIR: dataDir('original'),
    });
    expect(code).toBe(4);
    expect(output).toContain('The backup has no keys');
    expect(existsSync(to)).toBe(true);
  });

  it.each(['a.zip', 'a.tar', 'a.tgz', 'a.tar.xz', 'A.ZIP', 'passphrase'])(
    'refuses a file of another kind: %s',
    async (name) => {
      const to = path.join(folder, name);
      const { code, output } = await trellis(['backup', '--to', to], { DATA_DIR: folder });
      expect(output).toContain(
        '--to takes a directory, or a file that ends in .tar.zst or .tar.gz',
      );
      expect(code).toBe(2);
      expect(existsSync(to)).toBe(name === 'passphrase');
    },
  );

  it('replaces an archive only with --force', async () => {
    const to = path.join(folder, 'kept.tar.gz');
    await writeFile(to, 'an older backup');
    const args = ['backup', '--to', to, '--passphrase-file', passphrase];
    const refused = await trellis(args, { DATA_DIR: dataDir('original') });
    expect(refused).toMatchObject({
      code: 1,
      output: `${to} exists already: name another file, or replace it by --force.\n`,
    });
    expect(await readFile(to, 'utf8')).toBe('an older backup');
    const { files } = await backUp(to, '--force');
    expect(files).toBeGreaterThan(10);
    expect((await stat(to)).size).toBeGreaterThan(1_000);
  });

  it('reads the passphrase before it connects to the service', async () => {
    const args = ['backup', '--to', backups, '--passphrase-file', path.join(folder, 'absent')];
    const { code, output } = await trellis(args, { DATA_DIR: dataDir('absent') });
    expect(output).toContain('The passphrase cannot be read');
    expect(code).toBe(1);
  });

  it('refuses keys that do not decrypt the secrets of the instance', async () => {
    const key = path.join(dataDir('original'), 'secret.key');
    const to = path.join(folder, 'other-key.tar.gz');
    const args = ['backup', '--to', to, '--passphrase-file', passphrase];
    await rename(key, `${key}.aside`);
    try {
      const without = await trellis(args, { DATA_DIR: dataDir('original') });
      expect(without.output).toContain('There is no SECRET_KEY');
      expect(without.code).toBe(1);
      const env = { DATA_DIR: dataDir('original'), SECRET_KEY: 'another key '.repeat(4) };
      const other = await trellis(args, env);
      expect(other.output).toContain('is not the key this database was made with');
      expect(other.code).toBe(1);
      expect(existsSync(to)).toBe(false);
    } finally {
      await rename(`${key}.aside`, key);
    }
  });

  it('restores into an empty folder, and replaces data only with --force', async () => {
    const env = { DATA_DIR: dataDir('elsewhere') };
    const { code, output } = await restore(
      backups,
      env,
      '--data-dir',
      dataDir('restored'),
      '--json',
    );
    expect([code, output]).toEqual([0, expect.stringContaining('"repositories": 1')]);
    expect(existsSync(env.DATA_DIR)).toBe(false);
    for (const name of ['secret.key', 'ssh_host_ed25519_key', 'ssh_host_rsa_key']) {
      const [original, restored] = ['original', 'restored'].map((one) =>
        readFile(path.join(dataDir(one), name), 'utf8'),
      );
      expect(await restored).toBe(await original);
    }
    const again = await restore(backups, { DATA_DIR: dataDir('restored') });
    expect(again.code).toBe(1);
    expect(again.output).toContain('exists already');

    const service = start('restored');
    const restored = await service.url();
    const withoutPort = (body: unknown): string =>
      JSON.stringify(body).replaceAll(/localhost:\d+/g, 'localhost');
    expect(withoutPort(await shown(restored))).toBe(withoutPort(await shown(url)));
    const audit = await api(restored, 'get', '/audit_events?target_type=backup').expect(200);
    const operator = { author_id: null, author_name: 'command line', ip: null };
    expect(audit.body).toMatchObject([
      {
        action: 'backup.restored',
        ...operator,
        target_name: backups,
        details: { repositories: 1 },
      },
      { action: 'backup.created', ...operator, details: { repositories: 1, has_keys: true } },
    ]);
    const credentials = { login: 'root', password: PASSWORD };
    const session = await request(restored).post('/api/v3/session').send(credentials).expect(200);
    expect(session.body).toMatchObject({ private_token: TOKEN });
    const clone = path.join(folder, 'clone');
    await git(['clone', '--quiet', remoteOf(restored), clone]);
    expect(await readdir(clone)).toEqual(['.git', 'first.txt', 'second.txt']);
    await git(['fetch', '--quiet', 'origin', 'refs/notes/*:refs/notes/*'], { cwd: clone });
    expect(await git(['notes', 'show', 'HEAD~1'], { cwd: clone })).toBe('Released');

    const beside = await restore(backups, { DATA_DIR: dataDir('restored') }, '--force');
    expect(beside.code).toBe(1);
    expect(beside.output).toContain('is in use by process');
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it.each([
    ['an empty passphrase', '\n', 'has no passphrase'],
    ['another passphrase', 'another one\n', 'The passphrase is not the one'],
  ])('refuses %s', async (_which, text, problem) => {
    const other = path.join(folder, 'other-passphrase');
    await writeFile(other, text);
    const args = ['restore', '--from', backups, '--passphrase-file', other];
    const { code, output } = await trellis(args, { DATA_DIR: dataDir('refused') });
    expect(code).toBe(1);
    expect(output).toContain(problem);
    expect(existsSync(dataDir('refused'))).toBe(false);
  });

  it('refuses to restore sealed keys without their passphrase', async () => {
    const args = ['restore', '--from', backups];
    const { code, output } = await trellis(args, { DATA_DIR: dataDir('refused') });
    expect(code).toBe(1);
    expect(output).toContain('The keys of the backup are sealed');
  });

  it('detects obstacles before it reads the whole backup', async () => {
    // A backup that is damaged, so that reading it would end in another error.
    const backup = await changed('unread', async (copy) => {
      const files = await filesBelow(copy);
      await rm(files.find((file) => file.includes('/objects/')) ?? '');
    });
    const env = { DATA_DIR: dataDir('original') };
    expect((await restore(backup, env)).output).toContain('exists already');
    expect((await restore(backup, env, '--force')).output).toContain('is in use by process');
    const database = await createDatabase();
    databases.push(database);
    const full = { DATA_DIR: dataDir('refused'), DATABASE_URL: database.url };
    expect((await restore(backup, full)).output).toContain('The database is not empty');
    const other = path.join(folder, 'wrong-passphrase');
    await writeFile(other, 'another one\n');
    const args = ['restore', '--from', backup, '--passphrase-file', other];
    const refused = await trellis(args, { DATA_DIR: dataDir('refused') });
    expect(refused.output).toContain('The passphrase is not the one');
    const sealed = await trellis(args.slice(0, 3), { DATA_DIR: dataDir('refused') });
    expect(sealed.output).toContain('The keys of the backup are sealed');
    expect((await restore(backup, { DATA_DIR: dataDir('refused') })).output).toContain(
      'is missing',
    );
    expect(existsSync(dataDir('refused'))).toBe(false);
  });

  it('names a damaged, a missing and an unexpected file, and changes nothing', async () => {
    let damaged = '';
    const backup = await changed('damaged', async (copy) => {
      const files = await filesBelow(copy);
      damaged = files.find((file) => file.includes('/objects/')) ?? '';
      const content = await readFile(damaged);
      content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 1;
      await rm(damaged);
      await writeFile(damaged, content);
      await rm(path.join(copy, 'database', 'users.copy.gz'));
      await writeFile(path.join(copy, 'database', 'extra'), 'extra');
    });
    const { code, output } = await restore(backup, { DATA_DIR: dataDir('refused') });
    expect(code).toBe(1);
    expect(output).toContain(`${path.relative(backup, damaged)} is damaged`);
    expect(output).toContain('database/users.copy.gz is missing');
    expect(output).toContain('database/extra is no part of it');
    expect(existsSync(dataDir('refused'))).toBe(false);
  });

  it('refuses files that are not backups, and backups of a newer version', async () => {
    const env = { DATA_DIR: dataDir('refused') };
    const none = await restore(folder, env);
    expect(none.output).toContain(`There is no complete backup in ${folder}`);
    const foreign = await withManifest('foreign', (manifest) => {
      manifest['format'] = 'something';
    });
    expect((await restore(foreign, env)).output).toContain('not that of a Trellis backup');
    const newer = await withManifest('newer', (manifest) => {
      (manifest['migrations'] as string[]).push('FlyingCars2000000000000');
    });
    const refused = await restore(newer, env);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('does not know the migrations FlyingCars2000000000000');
    expect(existsSync(env.DATA_DIR)).toBe(false);
  });

  it('restores no settings of git', async () => {
    const backup = await changed('hostile', async (copy) => {
      const files = await filesBelow(copy);
      const config = files.find((file) => file.endsWith('.git/config')) ?? '';
      await forge(copy, path.relative(copy, config), '[merge "x"]\n\tdriver = touch /tmp/x\n');
    });
    const database = await emptyDatabase();
    const env = { DATA_DIR: dataDir('settings'), DATABASE_URL: database.url };
    const { code, output } = await restore(backup, env);
    expect([code, output]).toEqual([0, expect.any(String)]);
    const files = await filesBelow(path.join(dataDir('settings'), 'repositories'));
    const configs = files.filter((file) => file.endsWith('.git/config'));
    expect(configs).toHaveLength(1);
    for (const config of configs) expect(await readFile(config, 'utf8')).toMatch(/^\[core\]\n/);
  });

  it('refuses a database of another program, even with --force', async () => {
    const database = await emptyDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query('CREATE TABLE customers (name text)');
      // The table of another program that has migrations.
      await client.query('CREATE TABLE migrations (id integer, name text)');
      await client.query(`INSERT INTO migrations VALUES (1, 'Customers1')`);
    } finally {
      await client.end();
    }
    const env = { DATA_DIR: dataDir('foreign'), DATABASE_URL: database.url };
    const { code, output } = await restore(backups, env, '--force');
    expect([code, output]).toEqual([1, expect.stringContaining('are not those of an instance')]);
  });

  it('restores from an archive into another database, and replaces data with --force', async () => {
    const archive = path.join(folder, 'backup.tar.gz');
    await backUp(archive);
    const database = await createDatabase();
    databases.push(database);
    const env = { DATA_DIR: dataDir('other'), DATABASE_URL: database.url };
    const refused = await restore(archive, env);
    expect(refused.output).toContain('The database is not empty');
    const { code, output } = await restore(archive, env, '--force');
    expect([code, output]).toEqual([0, expect.stringContaining('1 repositories')]);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query('SELECT title FROM issues');
      expect(rows).toEqual([{ title: 'Kept' }]);
      const used = await restore(archive, env, '--force');
      expect([used.code, used.output]).toEqual([1, expect.stringContaining('1 other sessions')]);
    } finally {
      await client.end();
    }
    const content = await readFile(archive);
    content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 1;
    await writeFile(archive, content);
    const damaged = await restore(archive, env, '--force');
    expect(damaged.code).toBe(1);
    expect(damaged.output).toMatch(/The backup cannot be (read|restored)/);
  });

  it('is repeated after kill -9; until then no process starts', async () => {
    const archive = path.join(folder, 'backup.tar.zst');
    await backUp(archive);
    const env = { DATA_DIR: dataDir('killed') };
    const args = ['restore', '--from', archive, '--passphrase-file', passphrase];
    const killed = run(args, env);
    const marker = path.join(env.DATA_DIR, 'restore.incomplete');
    await until(() => Promise.resolve(existsSync(marker)));
    await killed.kill('SIGKILL');
    for (const command of [['start'], ['migrate'], ['backup', '--to', backups]]) {
      const { code, output } = await trellis(command, env);
      expect(output).toContain(`A restore into ${env.DATA_DIR} was interrupted`);
      expect(code).toBe(1);
    }
    const again = await restore(archive, env, '--force');
    expect([again.code, again.output]).toEqual([0, expect.any(String)]);
    const service = start('killed');
    await api(await service.url(), 'get', '/projects/root%2Fkept').expect(200);
  });
});
