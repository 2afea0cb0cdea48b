// Puts one fault after another into a copy of the project and runs the suites that have to find it.
//
//   node test/mutation/campaign.mjs [--only PATTERN]
//
// --only takes the faults whose rule matches the regular expression.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { guard } from '../../scripts/guard.mjs';
import { prepare } from '../../scripts/prepare.mjs';
import { inRoot, ROOT } from '../../scripts/paths.mjs';
import { main, Problem, say } from '../../scripts/problem.mjs';
import { withTemporaryFolder } from '../../scripts/temporary-folder.mjs';
import { FAULTS } from './faults.mjs';

const execute = promisify(execFile);

const COPIES = Math.min(2, availableParallelism());
const TIME_LIMIT_MS = 10 * 60_000;
const LIMIT_OF_ALL_MS = 45 * 60_000;

/** A copy of the project in which suites run on changed code. */
class Copy {
  constructor(folder) {
    this.folder = folder;
  }

  static async make(folder) {
    const { stdout } = await execute('git', ['ls-files', '-z'], { cwd: ROOT });
    for (const name of stdout.split('\0').filter(Boolean)) {
      await mkdir(path.join(folder, path.dirname(name)), { recursive: true });
      await cp(inRoot(name), path.join(folder, name), { verbatimSymlinks: true });
    }
    await cp(inRoot('dist'), path.join(folder, 'dist'), { recursive: true });
    await symlink(inRoot('node_modules'), path.join(folder, 'node_modules'));
    return new Copy(folder);
  }

  /** Runs the suites with a fault in the code, and takes it out again. */
  async tryOut({ find, replace, suites, file = '' }) {
    const source = await this.#locate(find, file);
    const text = await readFile(source, 'utf8');
    await writeFile(
      source,
      text.replace(find, () => replace),
    );
    try {
      return await this.run(suites);
    } finally {
      await writeFile(source, text);
    }
  }

  /** @throws Problem unless exactly one file holds the code, once */
  async #locate(find, file) {
    const src = path.join(this.folder, 'src');
    const names = await readdir(src, { recursive: true });
    const holding = [];
    for (const name of names.filter((each) => each.endsWith('.ts') && each.endsWith(file))) {
      const times = (await readFile(path.join(src, name), 'utf8')).split(find).length - 1;
      for (let at = 0; at < times; at += 1) holding.push(path.join(src, name));
    }
    const [source, ...others] = holding;
    if (source === undefined) throw new Problem(`Not in src any more: ${find}`);
    if (others.length > 0) throw new Problem(`More than once in src: ${find}`);
    return source;
  }

  /** Runs suites, and ends what they leave behind: a fault may keep them from ending it. */
  async run(suites, { workers = 1, limitMs = TIME_LIMIT_MS } = {}) {
    let folder;
    const { result } = await withTemporaryFolder(({ temporary, notes }) => {
      folder = notes;
      return this.#runJest(suites, { temporary, notes, workers, limitMs });
    });
    await rm(folder, { recursive: true, force: true });
    return result;
  }

  async #runJest(suites, { temporary, notes, workers, limitMs }) {
    const results = path.join(notes, 'jest.json');
    const jest = path.join(this.folder, 'node_modules', 'jest', 'bin', 'jest.js');
    const options = ['--silent', '--json', `--outputFile=${results}`, `--maxWorkers=${workers}`];
    const { stdout, stderr, code } = await execute(
      process.execPath,
      [jest, ...options, '--', ...suites],
      {
        cwd: this.folder,
        env: { ...process.env, TMPDIR: temporary, TEST_NOTES: notes },
        timeout: limitMs,
        maxBuffer: Infinity,
      },
    ).catch((error) => error);
    const output = `${stdout}${stderr}`;
    const text = await readFile(results, 'utf8').catch(() => null);
    if (text === null) return { failed: 0, passed: 0, unloaded: 1, code, output };
    const { numFailedTests, numPassedTests, numRuntimeErrorTestSuites } = JSON.parse(text);
    return {
      failed: numFailedTests,
      passed: numPassedTests,
      unloaded: numRuntimeErrorTestSuites,
      ...{ code, output },
    };
  }
}

/** @returns null when the suites find the fault, else why it does not count as found */
function whyNotFound({ failed, passed, unloaded, code }) {
  if (unloaded > 0) return 'a suite could not be loaded';
  if (failed > 0) return null;
  if (code) return `no test failed, but Jest ended with ${String(code)}`;
  return passed === 0 ? 'no test was run' : `all ${String(passed)} tests passed`;
}

async function tryAll(copies, faults) {
  const missed = [];
  const waiting = [...faults];
  const work = async (copy) => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const began = Date.now();
      const why = whyNotFound(await copy.tryOut(fault));
      const seconds = Math.round((Date.now() - began) / 1000);
      console.log(
        `${why === null ? 'found ' : 'MISSED'} ${String(seconds).padStart(4)} s  ${fault.rule}`,
      );
      if (why !== null) missed.push(`${fault.rule}: ${why}`);
    }
  };
  await Promise.all(copies.map(work));
  return missed;
}

/** Without a fault every suite passes; a failure would count as a find otherwise. */
async function assertSound(copy, faults) {
  const suites = [...new Set(faults.flatMap((fault) => fault.suites))];
  say(`the ${String(suites.length)} suites without a fault …`);
  const { failed, unloaded, passed, output } = await copy.run(suites, {
    workers: COPIES,
    limitMs: LIMIT_OF_ALL_MS,
  });
  if (failed + unloaded > 0 || passed === 0)
    throw new Problem(`${output}\nThey fail without a fault.`);
}

await main(async () => {
  const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
  const faults = FAULTS.filter(({ rule }) => new RegExp(values.only).test(rule));
  if (faults.length === 0) throw new Problem(`No fault's rule matches ${values.only}.`);
  await prepare({ dev: true });
  const folder = await mkdtemp(path.join(tmpdir(), 'trellis-mutation-'));
  const { release } = guard(folder);
  try {
    const names = Array.from({ length: COPIES }, (_, index) => path.join(folder, String(index)));
    const copies = await Promise.all(names.map((name) => Copy.make(name)));
    await assertSound(copies[0], faults);
    const missed = await tryAll(copies, faults);
    console.log(
      `${String(faults.length - missed.length)} of ${String(faults.length)} faults found`,
    );
    if (missed.length > 0) throw new Problem(`\n${missed.join('\n')}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
    release();
  }
});
