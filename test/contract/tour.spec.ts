/** @operation */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../support/free-port.js';
import { git } from '../unit/git/support/workshop.js';

jest.setTimeout(120_000);

/** The commands of a page from a heading on to the next one, in one script. */
async function commandsOf(page: string, heading: string): Promise<string> {
  const all = await readFile(page, 'utf8');
  const [section = ''] = all.slice(all.indexOf(`${heading}\n`) + heading.length).split(/^#+ /m);
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('\n');
}

const README = ['README.md', '## A tour in a dozen lines'] as const;
const TOUR = ['docs/tour.md', '# First steps'] as const;

// The tour of README.md alone is the first part of the second one.
describe.each([
  ['docs/tour.md', [TOUR]],
  ['README.md, then that of docs/tour.md in the same folder', [README, TOUR]],
] as const)('the tour of %s', (_, tours) => {
  let home: string;
  let shell: ChildProcess | undefined;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'trellis-tour-'));
    // The embedded server of an administrator runs as another user, who has to get to its folder.
    await chmod(home, 0o711);
  });
  afterEach(async () => {
    // The service and the receiver are in the shell's group, should it not have come to their end.
    if (shell?.pid !== undefined) endGroup(shell.pid);
    await rm(home, { recursive: true, force: true });
  });

  /** A clone as the tour wants it: with a history and a README. */
  async function makeClone(): Promise<string> {
    const clone = path.join(home, 'clone');
    await git(['init', '--quiet', clone]);
    await writeFile(path.join(clone, 'README.md'), 'Read me\n');
    await git(['add', '.'], { cwd: clone });
    await git(
      [
        ...['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'],
        ...['commit', '-qm', 'First'],
      ],
      { cwd: clone },
    );
    return clone;
  }

  /** `npm` runs in this folder, whatever the clone is. */
  async function wrapNpm(): Promise<void> {
    const npm = path.join(home, 'npm');
    const own = process.env['PATH'] ?? '';
    const script = `#!/bin/sh\nPATH='${own}' exec npm --prefix '${process.cwd()}' "$@"\n`;
    await writeFile(npm, script);
    await chmod(npm, 0o755);
  }

  it('can be pasted into a terminal', async () => {
    const clone = await makeClone();
    await wrapNpm();
    const [port, receiver] = [await freePort(), await freePort()];
    const scripts = await Promise.all(tours.map(([page, heading]) => commandsOf(page, heading)));
    const commands = scripts
      .join('\n')
      .replaceAll('localhost:3000', `localhost:${String(port)}`)
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${String(receiver)}`)
      .replaceAll('.listen(4000', `.listen(${String(receiver)}`);
    shell = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: clone,
      detached: true,
      env: {
        ...{ PATH: `${home}:${process.env['PATH'] ?? ''}`, HOME: home },
        ...{ PORT: String(port), SSH_PORT: 'off', DATA_DIR: path.join(home, 'data') },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = new Promise((resolve) => shell?.once('close', resolve));
    const [output, complaints] = await Promise.all([
      text(shell.stdout as NodeJS.ReadableStream),
      text(shell.stderr as NodeJS.ReadableStream),
    ]);
    expect([await closed, complaints.match(/error|fatal|refused/gi)]).toEqual([0, null]);
    expect(output).toContain('\n  "path_with_namespace": "root/tour"');
    // Commits have messages as well, but none that is an object or begins with a status.
    expect(output).not.toMatch(/"error": |"message": (?:\{|"\d{3} )/);
    if (tours.some(([page]) => page === 'docs/tour.md')) {
      const states = [...output.matchAll(/"state": "(pending|done)"/g)].map(([, state]) => state);
      expect(states).toEqual(['pending', 'done']);
    }
    // Nothing else has the credentials of the administrator.
    expect(await readFile(path.join(clone, 'trellis.log'), 'utf8')).toMatch(/^ {2}token {6}\S+$/m);
  });
});

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
