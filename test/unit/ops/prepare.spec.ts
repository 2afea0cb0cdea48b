/** @operation */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');

interface Outcome {
  readonly code: number | string | null;
  readonly said: string;
}

const NPM = `
const fs = require('node:fs');
const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
fs.appendFileSync('calls', 'npm ' + process.argv.slice(2, 3) + '\\n');
fs.rmSync('node_modules', { recursive: true, force: true });
fs.mkdirSync('node_modules/typescript/bin', { recursive: true });
fs.copyFileSync('tsc.cjs', 'node_modules/typescript/bin/tsc');
fs.mkdirSync('node_modules/swagger-ui-dist');
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']) {
  fs.writeFileSync('node_modules/swagger-ui-dist/' + name, '');
}
console.log('noise');
if (fs.existsSync('offline')) { console.error('npm error network'); process.exit(3); }
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify(lock));
`;
const TSC = `
const fs = require('node:fs');
fs.appendFileSync('calls', 'tsc\\n');
fs.mkdirSync('dist/src', { recursive: true });
fs.copyFileSync('src/main.ts', 'dist/src/main.js');
`;
const MAIN = `process.on('SIGTERM', () => process.exit(7));
if (process.argv[3] === 'wait') setInterval(() => 0, 1e6);
console.log('called with', ...process.argv.slice(2));
`;

/** A clone with the scripts as they are, and stand-ins for what npm would bring. */
class Clone {
  private constructor(readonly folder: string) {}

  static async create(): Promise<Clone> {
    const clone = new Clone(await mkdtemp(join(tmpdir(), 'trellis-prepare-')));
    await cp(join(ROOT, 'scripts'), clone.path('scripts'), { recursive: true });
    await mkdir(clone.path('src'));
    await mkdir(clone.path('bin'));
    await clone.write('package-lock.json', clone.lock('1.0.0'));
    await clone.write('package.json', '{"type":"module"}');
    await Promise.all(['ormconfig.ts', 'tsconfig.json'].map((name) => clone.write(name, '{}')));
    await clone.write('nest-cli.json', '{"sourceRoot":"src","compilerOptions":{}}');
    await clone.write('src/main.ts', MAIN);
    await clone.write('tsc.cjs', TSC);
    await clone.write('npm.cjs', NPM);
    await clone.executable('npm', `exec "${process.execPath}" npm.cjs "$@"`);
    await symlink(process.execPath, clone.path('bin/node'));
    await clone.git('2.39.5');
    return clone;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  lock(version: string): string {
    return JSON.stringify({
      packages: {
        '': {},
        'node_modules/typescript': { version, dev: true },
        'node_modules/other-platform': { version, optional: true },
      },
    });
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(this.path(name), text);
  }

  async executable(name: string, script: string): Promise<void> {
    await this.write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
    await chmod(this.path(`bin/${name}`), 0o755);
  }

  git(version: string): Promise<void> {
    return this.executable('git', `echo "git version ${version}"`);
  }

  /** Makes the clone one of a real repository, with a commit of all that has to be in it. */
  async commitAll(message: string): Promise<string> {
    const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    await this.executable('git', `exec "${git}" "$@"`);
    await this.write('.gitignore', 'bin\nnode_modules\ndist\ncalls\n');
    await cp(join(ROOT, '.gitattributes'), this.path('.gitattributes'));
    const run = (...args: string[]): string =>
      execFileSync(git, args, { cwd: this.folder, encoding: 'utf8' });
    run('init', '--quiet');
    run('add', '.');
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    run(...author, 'commit', '--quiet', '--allow-empty', '--message', message);
    return run('rev-parse', 'HEAD').slice(0, 7);
  }

  /** What distinguishes the build, after the scripts have made it. */
  async builtCommit(env: Record<string, string> = {}): Promise<string> {
    const { code, said } = await this.prepare(env);
    expect([code, said]).toEqual([0, expect.any(String)]);
    return readFile(this.path('dist/.commit'), 'utf8');
  }

  async calls(): Promise<string[]> {
    const text = await readFile(this.path('calls'), 'utf8').catch(() => '');
    await rm(this.path('calls'), { force: true });
    return text.trim().split('\n').filter(Boolean);
  }

  run(...args: string[]): Promise<Outcome> {
    return this.runWith({}, args);
  }

  private runWith(variables: Record<string, string>, args: string[]): Promise<Outcome> {
    return new Promise((settle) => {
      const env = { PATH: this.path('bin'), ...variables };
      execFile(process.execPath, args, { cwd: this.folder, env }, (error, stdout, stderr) => {
        settle({ code: error?.code ?? 0, said: stdout + stderr });
      });
    });
  }

  prepare(env: Record<string, string> = {}): Promise<Outcome> {
    return this.runWith(env, ['scripts/prepare.mjs']);
  }

  dispose(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}

describe('the pre-script', () => {
  let clone: Clone;

  beforeEach(async () => {
    clone = await Clone.create();
  });

  afterEach(async () => {
    await clone.dispose();
  });

  it('names a missing git and what to do', async () => {
    await rm(clone.path('bin/git'));
    const { code, said } = await clone.prepare();
    expect(code).toBe(1);
    expect(said).toMatch(/^git was not found: Trellis needs 2\.38 or newer\.\nInstall it/);
    expect(await clone.calls()).toEqual([]);
  });

  it.each([
    ['2.37.9', false],
    ['2.38.0', true],
    ['2.39.5 (Apple Git-154)', true],
    ['10.0', true],
    ['1.99.1', false],
  ])('judges git %s', async (version, enough) => {
    await clone.git(version);
    const { code, said } = await clone.prepare();
    expect(code).toBe(enough ? 0 : 1);
    if (!enough) expect(said).toContain(`git ${version} is too old: Trellis needs 2.38 or newer.`);
  });

  it.each([
    ['18.20.8', false],
    ['20.18.3', false],
    ['20.19.0', true],
    ['22.1.0', true],
  ])('judges Node %s', async (version, enough) => {
    const code = `import { checkNode } from './scripts/versions.mjs'; checkNode('${version}');`;
    const outcome = await clone.run('--input-type=module', '--eval', code);
    expect(outcome.code).toBe(enough ? 0 : 1);
    if (!enough) {
      expect(outcome.said).toContain(`Node ${version} is too old: Trellis needs 20.19 or newer.`);
    }
  });

  it('installs and builds missing parts, each once', async () => {
    const first = await clone.prepare();
    expect(first.code).toBe(0);
    expect(first.said).toMatch(
      /^trellis: installing packages .*\n.*done.*\n.*building …\n.*done.*\n$/,
    );
    expect(await clone.calls()).toEqual(['npm ci', 'tsc']);

    expect(await clone.prepare()).toEqual({ code: 0, said: '' });
    expect(await clone.calls()).toEqual([]);

    await clone.write('src/other.ts', '');
    await clone.prepare();
    expect(await clone.calls()).toEqual(['tsc']);

    await clone.write('package-lock.json', clone.lock('1.0.1'));
    await clone.prepare();
    expect(await clone.calls()).toEqual(['npm ci', 'tsc']);

    await rm(clone.path('dist'), { recursive: true });
    await clone.prepare();
    expect(await clone.calls()).toEqual(['tsc']);
  });

  it('accepts an installation by npm ci', async () => {
    await clone.run('npm.cjs', 'ci');
    await clone.calls();
    await clone.prepare();
    expect(await clone.calls()).toEqual(['tsc']);
  });

  it('prints the output of a failed installation, and installs again the next time', async () => {
    await clone.write('offline', '');
    const { code, said } = await clone.prepare();
    expect(code).toBe(1);
    expect(said).toContain('npm error network');
    expect(said).toMatch(/npm ci .* failed \(exit code 3\)\.\n$/);
    await rm(clone.path('offline'));
    expect(await clone.prepare()).toMatchObject({ code: 0 });
    expect(await clone.calls()).toEqual(['npm ci', 'npm ci', 'tsc']);
  });

  it('works once for concurrent starts, past the lock of a dead process', async () => {
    await clone.write('.prepare.lock', '999999999 1\n');
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => clone.prepare()));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(await clone.calls()).toEqual(['npm ci', 'tsc']);
    await expect(readFile(clone.path('.prepare.lock'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('admits one process at a time when each holder of the lock is killed', async () => {
    const code = `
      import { appendFileSync } from 'node:fs';
      import { setTimeout as delay } from 'node:timers/promises';
      import { withLock } from './scripts/lock.mjs';
      await withLock('lock', () => undefined, async () => {
        appendFileSync('calls', process.pid + ' enters\\n');
        await delay(20);
        appendFileSync('calls', process.pid + ' dies\\n');
        process.kill(process.pid, 'SIGKILL');
      });`;
    const args = ['--input-type=module', '--eval', code];
    await Promise.all(Array.from({ length: 24 }, () => clone.run(...args)));
    const calls = await clone.calls();
    const ids = calls.filter((_, index) => index % 2 === 0).map((call) => call.split(' ')[0]);
    expect(new Set(ids).size).toBe(24);
    expect(calls).toEqual(ids.flatMap((id) => [`${id} enters`, `${id} dies`]));
  });

  it('runs a command in its own process, which signals reach', async () => {
    await clone.prepare();
    const outcome = await clone.run('scripts/run.mjs', 'migrate', '--plan');
    expect(outcome).toEqual({ code: 0, said: 'called with migrate --plan\n' });

    const child = spawn(process.execPath, ['scripts/run.mjs', 'start', 'wait'], {
      cwd: clone.folder,
      env: { PATH: clone.path('bin') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((settle) => child.once('exit', settle));
    await new Promise((settle) => child.stdout.once('data', settle));
    child.kill('SIGTERM');
    expect(await ended).toBe(7);
  });
});

describe('the commit of a build', () => {
  let clone: Clone;

  beforeEach(async () => {
    clone = await Clone.create();
  });

  afterEach(async () => {
    await clone.dispose();
  });

  it('is that of the clone, which another commit changes without a build', async () => {
    const first = await clone.commitAll('First');
    expect(await clone.builtCommit()).toBe(first);
    const second = await clone.commitAll('Second');
    await clone.calls();
    expect(await clone.builtCommit({ TRELLIS_COMMIT: 'a'.repeat(40) })).toBe(second);
    expect(await clone.calls()).toEqual([]);
  });

  it('is marked when the sources differ from it', async () => {
    const commit = await clone.commitAll('First');
    await clone.write('src/other.ts', '');
    expect(await clone.builtCommit()).toBe(`${commit}.dirty`);
    expect(await clone.commitAll('Second')).toBe(await clone.builtCommit());
    await clone.write('notes.txt', 'No part of the build');
    expect(await clone.builtCommit()).not.toContain('dirty');
  });

  it('stays when git refuses to answer, as it does for another account', async () => {
    const commit = await clone.commitAll('First');
    expect(await clone.builtCommit()).toBe(commit);
    const refusal = '[ "$1" = --version ] && echo "git version 2.39.5" && exit; exit 128';
    await clone.executable('git', refusal);
    expect(await clone.builtCommit()).toBe(commit);
  });

  it('is in the sources that git archive writes', async () => {
    const commit = await clone.commitAll('First');
    const text = execFileSync('git', ['archive', 'HEAD', 'scripts/commit.mjs'], {
      cwd: clone.folder,
    });
    await rm(clone.path('.git'), { recursive: true });
    execFileSync('tar', ['-x'], { cwd: clone.folder, input: text });
    expect(await clone.builtCommit()).toBe(commit);
  });

  it('is named by TRELLIS_COMMIT where there is no history', async () => {
    const TRELLIS_COMMIT = '590df2cd0123456789012345678901234567890a';
    expect(await clone.builtCommit({ TRELLIS_COMMIT })).toBe('590df2c');
  });

  it('is replaced by a digest of the sources where it is unknown', async () => {
    const digest = await clone.builtCommit({ TRELLIS_COMMIT: '' });
    expect(digest).toMatch(/^src\.[0-9a-f]{7}$/);
    await clone.write('src/other.ts', '');
    expect(await clone.builtCommit()).not.toBe(digest);
  });
});

describe('the npm scripts', () => {
  it('put the service in the place of the shell, so that a signal to npm reaches it', async () => {
    const text = await readFile(join(ROOT, 'package.json'), 'utf8');
    const { scripts } = JSON.parse(text) as { scripts: Record<string, string> };
    const commands = {
      start: 'start',
      'start:api': 'start api',
      'start:worker': 'start worker',
      migrate: 'migrate',
    };
    for (const [name, command] of Object.entries(commands)) {
      expect(scripts[name]).toBe(`exec node scripts/run.mjs ${command}`);
    }
  });
});
