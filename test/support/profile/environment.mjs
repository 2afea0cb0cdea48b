// The environment of suites in a profiled run: notes what each of them takes.
import path from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { isOnRedis, note } from '../../../scripts/profile/notes.mjs';
import { Meter, since } from './meter.mjs';

const SUITE = /[^\s(]+\.spec\.ts/;
const HOOKS = new Set(['beforeAll', 'afterAll']);

/** One for the process, which runs many files. */
const meter = new Meter();
meter.watch();
note('processes', { pid: process.pid, role: 'suites' });

const relative = (file) => path.relative(process.cwd(), file);

export default class ProfilingEnvironment extends TestEnvironment {
  #file;
  #onRedis;
  /** The suite that each describe block at the top of the file comes from: a batch has several. */
  #suites = new Map();
  #spans = [];
  #span;
  #fileSpan = begun();
  #endLoading = meter.begin('loading');
  /** Of the tests and hooks that are under way. */
  #begins = new Map();

  constructor(config, context) {
    super(config, context);
    this.#file = relative(context.testPath);
    this.#onRedis = isOnRedis(config.projectConfig);
    this.global.testMeter = {
      begin: (activity) => meter.begin(activity),
      countGitOf: (shell) => meter.countGitOf(shell),
      nameDatabase: (name) => this.#current().databases.push(name),
    };
  }

  handleTestEvent(event, state) {
    const { name, describeBlock, test, hook } = event;
    if (name === 'start_describe_definition') this.#define(event, state.currentDescribeBlock);
    if (name === 'run_start') this.#endLoading();
    if (name === 'run_describe_start' && this.#suites.has(describeBlock)) {
      this.#span = begun(this.#suites.get(describeBlock));
    }
    if (name === 'run_describe_finish' && this.#suites.has(describeBlock)) {
      this.#spans.push(ended(this.#span));
      this.#span = undefined;
    }
    if (name === 'test_start') this.#begins.set(test, now());
    if (name === 'test_done') this.#noteTest(test, titleOf(test), test.errors.length > 0);
    if (!HOOKS.has(hook?.type)) return;
    const title = `${titleOf(hook.parent)} ${hook.type}`.trimStart();
    if (name === 'hook_start') this.#begins.set(hook, now());
    if (name === 'hook_success') this.#noteTest(hook, title, false);
    if (name === 'hook_failure') this.#noteTest(hook, title, true);
  }

  async teardown() {
    this.#endLoading();
    for (const record of this.#records()) note('suites', record);
    await super.teardown();
  }

  #define({ asyncError }, block) {
    if (block.parent === undefined || block.parent.parent !== undefined) return;
    const [suite = this.#file] = SUITE.exec(asyncError.stack ?? '') ?? [];
    this.#suites.set(block, relative(suite));
  }

  #current() {
    return this.#span ?? this.#fileSpan;
  }

  #noteTest(key, name, failed) {
    const begin = this.#begins.get(key);
    if (begin !== undefined) this.#current().tests.push({ name, begin, end: now(), failed });
  }

  /** One for a file that is a suite; for a batch one for each suite and one for what they share. */
  #records() {
    const whole = ended(this.#fileSpan);
    const place = { file: this.#file, onRedis: this.#onRedis };
    const names = new Set(this.#spans.map(({ suite }) => suite));
    if (names.size <= 1) {
      const [suite = this.#file] = names;
      const spans = [whole, ...this.#spans];
      const tests = spans.flatMap((span) => span.tests);
      const databases = spans.flatMap((span) => span.databases);
      return [{ ...place, ...whole, suite, tests, databases }];
    }
    const rest = this.#spans.reduce((figures, span) => since(span.figures, figures), whole.figures);
    return [
      { ...place, ...whole, suite: this.#file, figures: rest, isShared: true },
      ...this.#spans.map((span) => ({ ...place, ...span })),
    ];
  }
}

function begun(suite) {
  const before = meter.read();
  return { suite, process: process.pid, begin: now(), before, tests: [], databases: [] };
}

function ended({ before, ...span }) {
  const end = now();
  return { ...span, end, figures: since(before, meter.read()) };
}

/** The time in milliseconds, as exact as the meter's: a span must not seem longer than the wall time that it measures. */
const now = () => performance.timeOrigin + performance.now();

/** The names of a test or describe block and of those around it. */
function titleOf({ name, parent }) {
  if (parent === undefined) return '';
  return `${titleOf(parent)} ${name}`.trimStart();
}
