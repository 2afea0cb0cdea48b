// Runs programs of clients, and git beside them.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { token, url } from './operations.mjs';

const MOST_BYTES = 50 * 1024 * 1024;
const SHOWN_CHARACTERS = 400;
const execute = promisify(execFile);

/** Runs a program to its end. @returns what it printed. @throws Error with the end of that when it fails */
export async function runProgram(file, args, { cwd = process.env.HOME, env = {} } = {}) {
  try {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: MOST_BYTES };
    const { stdout, stderr } = await execute(file, args, options);
    return stdout + stderr;
  } catch (error) {
    const output = `${error.stdout}${error.stderr}`.trim();
    throw new Error(`${file} ended with ${error.code}: … ${output.slice(-SHOWN_CHARACTERS)}`, {
      cause: error,
    });
  }
}

const AUTHOR = ['-c', 'user.name=Driver', '-c', 'user.email=driver@example.com'];

/** Runs git. @returns what it printed, without the last line break */
export const git = async (cwd, ...args) =>
  (await runProgram('git', [...AUTHOR, ...args], { cwd })).trimEnd();

/** The address of a project for git, with the user name that clients use who know a token alone. */
export function remoteOf(project, user = 'oauth2') {
  const remote = new URL(`/${project}.git`, url);
  Object.assign(remote, { username: user, password: token });
  return remote.href;
}

/** Makes a working copy of a project, empty as the project is, with an author of its own. @returns its folder */
export async function cloneOf(project) {
  const clone = path.join(process.env.HOME, path.basename(project.path));
  await git(process.env.HOME, 'clone', '--quiet', remoteOf(project.path), clone);
  await git(clone, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  await git(clone, 'config', 'user.name', 'Driver');
  await git(clone, 'config', 'user.email', 'driver@example.com');
  return clone;
}
