import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { VARIABLES } from '../../src/platform/config/schema.js';

const FOLDER = path.resolve('docker', 'systemd');
/** Seconds after its signal by which a process has ended (src/bootstrap/shutdown.ts). */
const ENDED_S = 40;
const COMMANDS = {
  'trellis-api.service': 'start api',
  'trellis-migrate.service': 'migrate',
  'trellis-worker.service': 'start worker',
  'trellis.service': 'start all',
};
const MAIN = 'dist/src/main.js';
const hasAnalyzer = spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0;

const read = (name: string): string => readFileSync(path.join(FOLDER, name), 'utf8');

/** The value of a directive that a unit has once. */
const valueOf = (name: string, directive: string): string | undefined =>
  new RegExp(`^${directive}=(.*)$`, 'm').exec(read(name))?.[1];

describe('docker/systemd', () => {
  const units = Object.entries(COMMANDS);

  it('has a unit for each way to run the service', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(['trellis', ...Object.keys(COMMANDS)]);
  });

  it.each(units)('%s runs the program', (name, command) => {
    expect(valueOf(name, 'ExecStart')).toBe(`/usr/bin/node ${MAIN} ${command}`);
    const assigned = [...(valueOf(name, 'Environment') ?? '').matchAll(/(\w+)=/g)];
    const names = assigned.map(([, variable = '']) => variable);
    expect(names.filter((each) => each !== 'NODE_ENV' && !(each in VARIABLES))).toEqual([]);
    expect(names).toContain('DATA_DIR');
  });

  it.each(units)('%s restricts the access of the service', (name) => {
    for (const [directive, value] of [
      ['User', 'trellis'],
      ['ProtectSystem', 'strict'],
      ['ProtectHome', 'yes'],
      ['PrivateTmp', 'yes'],
      ['NoNewPrivileges', 'yes'],
      ['CapabilityBoundingSet', ''],
      ['SystemCallFilter', '@system-service'],
    ] as const) {
      expect([directive, valueOf(name, directive)]).toEqual([directive, value]);
    }
  });

  it('waits for the service to end', () => {
    for (const [name] of units.filter(([, command]) => command.startsWith('start'))) {
      expect(valueOf(name, 'KillSignal')).toBe('SIGTERM');
      expect(valueOf(name, 'KillMode')).toBe('mixed');
      expect(Number(valueOf(name, 'TimeoutStopSec'))).toBeGreaterThan(ENDED_S);
    }
  });

  it('is accepted by systemd, if installed', async () => {
    if (!hasAnalyzer) return;
    const folder = await mkdtemp(path.join(tmpdir(), 'trellis-units-'));
    try {
      const files = units.map(([name]) => path.join(folder, name));
      await Promise.all(
        units.map(([name]) => {
          const here = read(name)
            .replaceAll('/usr/bin/node', process.execPath)
            .replaceAll('/opt/trellis', process.cwd());
          return writeFile(path.join(folder, name), here);
        }),
      );
      const { stderr } = await promisify(execFile)('systemd-analyze', ['verify', ...files]);
      expect(stderr.split('\n').filter((line) => line.includes(folder))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
