// Runs the driver of a client in a process of its own, and reads what it noted of each operation.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../crash/processes.mjs';
import { nodeFolder } from './install.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const LIMIT_SECONDS = 1_200;

/** Those of Debian are its own, which find its packages; another python3 may come first on the PATH. */
const INTERPRETERS = {
  ...{ '.mjs': ['node'], '.py': ['/usr/bin/python3'] },
  ...{ '.rb': ['/usr/bin/ruby'], '.pl': ['/usr/bin/perl'], '.go': ['/usr/bin/go', 'run'] },
};

/**
 * @param {object} place the folder where the client is installed, the site, and an account of its own
 * @returns {Promise<{ code: number, output: string, results: { operation: string, problem: string | null }[] }>}
 */
export async function drive({ driver, node, browser }, { folder, site, account }) {
  const home = path.join(folder, 'home');
  await mkdir(home);
  const resultsFile = path.join(folder, 'results.jsonl');
  await writeFile(resultsFile, '');
  const searched = [path.join(folder, 'node_modules', '.bin'), process.env.PATH];
  if (node !== undefined) searched.unshift(nodeFolder(folder));
  const env = {
    PATH: searched.join(path.delimiter),
    ...{ HOME: home, TMPDIR: home, LC_ALL: 'C.UTF-8', NO_COLOR: '1' },
    ...{ PYTHONDONTWRITEBYTECODE: '1', GO111MODULE: 'off', GOPATH: '/usr/share/gocode' },
    ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
    ...{ CLIENT_FOLDER: folder, CLIENT_RESULTS: resultsFile },
    ...(browser === undefined ? {} : { CLIENT_BROWSER: browser }),
    ...{ SERVICE: site.url, ADMIN_TOKEN: site.adminToken },
    ...{ USERNAME: account.username, USER_ID: String(account.id), TOKEN: account.token },
  };
  const interpreter = INTERPRETERS[path.extname(driver)];
  const command = [...interpreter, path.join(HERE, 'drivers', driver)];
  const limited = ['-k', '5', String(LIMIT_SECONDS), ...command];
  const { code, stdout, stderr } = await run('timeout', limited, { cwd: home, env });
  const lines = (await readFile(resultsFile, 'utf8')).split('\n').filter(Boolean);
  return { code, output: stdout + stderr, results: lines.map((line) => JSON.parse(line)) };
}
