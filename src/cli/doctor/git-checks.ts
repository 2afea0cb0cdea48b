import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Git, gitVersion } from '../../git/index.js';
import type { Config } from '../../platform/config/index.js';
import { attempt, type Check, ok, warning } from './check.js';

const run = promisify(execFile);

/** Checks the programs that the service starts, and that it may start its own. */
export function checkPrograms({ dataDir }: Config): Promise<Check[]> {
  return Promise.all([checkGit(), checkHookProgram(dataDir), checkSshClient()]);
}

const checkGit = (): Promise<Check> =>
  attempt(
    'git',
    'install git 2.38 or newer, and put it first on the PATH of the service',
    async () => ok('git', `version ${await gitVersion()}`),
  );

/**
 * Tries the hook that asks about pushes in a folder of its own: as another account, writing the one of the service would
 * make pushes pass unasked.
 */
const checkHookProgram = (dataDir: string): Promise<Check> =>
  attempt(
    'hook-program',
    `make ${dataDir} writable for the service's account, and mount it without noexec`,
    async () => {
      const runtimeDir = await mkdtemp(path.join(dataDir, '.doctor-'));
      try {
        const git = await Git.open({ runtimeDir });
        await git.close();
      } finally {
        await rm(runtimeDir, { recursive: true, force: true });
      }
      return ok('hook-program', 'pushes can be asked about');
    },
  );

async function checkSshClient(): Promise<Check> {
  try {
    await run('ssh', ['-V']);
    return ok('ssh-client', 'imports over ssh are possible');
  } catch {
    return warning(
      ...(['ssh-client', 'there is no ssh on the PATH'] as const),
      'install the OpenSSH client if projects are to be imported over ssh',
    );
  }
}
