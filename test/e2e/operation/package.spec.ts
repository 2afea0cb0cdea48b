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

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly version?: string;
}

async function readPackages(file: string): Promise<Record<string, LockedPackage>> {
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return packages;
}

describe('the package that npm pack makes', () => {
  let folder: string;
  let tarball: string;
  let installed: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-package-'));
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder]);
    tarball = path.join(folder, stdout.trim());
    installed = path.join(folder, 'node_modules', 'trellis');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  });

  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  /** Installs the packages that npm would, without the network: links or copies of those of this clone. */
  async function installDependencies(): Promise<void> {
    const locked = await readPackages(path.join(installed, 'npm-shrinkwrap.json'));
    const wanted = Object.entries(locked)
      .filter(([name, { dev, devOptional }]) => name !== '' && dev !== true && !devOptional)
      .map(([name]) => name);
    for (const name of wanted) {
      const source = path.join(ROOT, name);
      // Of another platform.
      if (
        !(await access(source).then(
          () => true,
          () => false,
        ))
      )
        continue;
      const target = path.join(folder, name);
      if (
        await access(target).then(
          () => true,
          () => false,
        )
      )
        continue;
      await mkdir(path.dirname(target), { recursive: true });
      // Between file systems links fail, once the folders are there.
      const contents = `${source}/.`;
      await run('cp', ['-al', source, target]).catch(() => run('cp', ['-a', contents, target]));
    }
    const bin = path.join(folder, 'node_modules', '.bin');
    await mkdir(bin, { recursive: true });
    await symlink('../trellis/dist/src/main.js', path.join(bin, 'trellis'));
  }

  it('holds the built program, and neither sources nor tests', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);
    const files = stdout.trim().split('\n');
    const folders = new Set(
      files.map((file) => file.split('/').slice(1, -1).slice(0, 2).join('/')),
    );
    const subjects = [...folders].filter((name) => !/^(?:docs|docker)(?:\/|$)/.test(name));
    expect(subjects.sort()).toEqual(['', 'dist', 'dist/explorer', 'dist/src']);
    const wanted = ['dist/src/main.js', 'dist/.built-from', 'openapi.json', 'npm-shrinkwrap.json'];
    expect(files).toEqual(expect.arrayContaining(wanted.map((name) => `package/${name}`)));
    expect(files.filter((file) => /\.(ts|map)$/.test(file))).toEqual([]);
    expect((await stat(tarball)).size).toBeLessThan(5 * MEGABYTE);
  });

  it('names the versions of all packages that were tested', async () => {
    const shrinkwrap = await readPackages(path.join(installed, 'npm-shrinkwrap.json'));
    expect(shrinkwrap).toEqual(await readPackages(path.join(ROOT, 'package-lock.json')));
    await expect(access(path.join(ROOT, 'npm-shrinkwrap.json'))).rejects.toThrow('ENOENT');
  });

  it('serves in an empty folder with the packages of an installation alone', async () => {
    await installDependencies();
    const empty = path.join(folder, 'empty');
    await mkdir(empty);
    const program = path.join(folder, 'node_modules', '.bin', 'trellis');
    const service = ServiceProcess.run(['start'], { ROOT_TOKEN: TOKEN }, { program, cwd: empty });
    const url = await service.url();
    const response = await fetch(`${url}/api/v3/user`, { headers: { 'PRIVATE-TOKEN': TOKEN } });
    expect(await response.json()).toMatchObject({ username: 'root', is_admin: true });
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
