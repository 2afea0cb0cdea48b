import { table } from '../table.mjs';
import { add } from './summary.mjs';

const LONGEST = 25;
/** What a test waits less is not worth a line. */
const MENTIONED_MS = 100;

const ACTIVITIES = {
  loading: 'loading modules',
  databases: 'creating and dropping databases',
  starting: 'starting the service',
  stopping: 'stopping it',
  git: 'git processes of tests',
  requests: 'requests to the API',
  other: 'everything else',
};
const PROGRAMS = {
  gitOfTests: 'git, started by tests',
  gitOfService: 'git, started by the service',
  node: 'Node programs: built services, campaigns, scripts',
  otherPrograms: 'other programs: ssh, Redis, PostgreSQL of single tests',
};

const LEGEND = `What a suite's process is busy with or waits for: what happens at the same time counts as the first of the list.
Waiting is wall time in which neither the process, nor what it started, nor PostgreSQL for its databases was busy; it
is part of the other figures. CONTRIBUTING.md says how each figure is measured and what it misses.`;

/**
 * @param {object} run
 * @param {import('./summary.mjs').Suite[]} run.suites at least one
 * @param {number} run.wallMs of the whole run
 * @param {number} run.cpuMs of everything that the run started
 * @param {number} run.othersMs processor time of everything else on the machine, meanwhile
 * @param {{ totalMs: number, maintenanceMs: number }} run.server PostgreSQL
 * @param {string[]} run.unmeasured
 * @param {string[]} run.failed
 */
export function reportOf(run) {
  const { suites, wallMs, cpuMs, othersMs, unmeasured, failed } = run;
  const sum = suites.map(figuresOf).reduce(add);
  const count = suites.filter(({ isShared }) => !isShared).length;
  const parts = [
    `${count} suites in ${seconds(wallMs)}, with ${seconds(cpuMs)} of processor time; other work on this machine took ` +
      `${seconds(othersMs)} meanwhile`,
    table(
      ['what suites do', 'number', 'wall', 'CPU of their processes'],
      [...activityLines(sum), ['sum', '', seconds(sum.wallMs), seconds(ownMs(sum))]],
      { figuresFrom: 1 },
    ),
    `Of the wall time, ${seconds(sum.waitingMs)} is waiting. ${sum.figures.connections} requests opened a connection.`,
    table(
      ['processor time', 'number', 'CPU'],
      [...processLines(sum, run), ['sum', '', seconds(cpuMs)]],
      { figuresFrom: 1 },
    ),
    suiteTable(suites),
    ...waitingTable(suites),
    LEGEND,
    ...named('Not measured, since their process ended before they did', unmeasured),
    ...named('Failed', failed),
  ];
  return parts.join('\n\n');
}

const figuresOf = ({ wallMs, cpuMs, waitingMs, serverMs, figures }) => ({
  wallMs,
  cpuMs,
  waitingMs,
  serverMs,
  figures,
});

const activityLines = ({ figures: { activities } }) =>
  Object.entries(ACTIVITIES).map(([key, name]) => {
    const { count, wallMs, cpuMs } = activities[key];
    return [name, key === 'other' ? '' : String(count), seconds(wallMs), seconds(cpuMs)];
  });

function processLines(sum, { cpuMs, server }) {
  const ofDatabases = sum.serverMs;
  const rest = cpuMs - (sum.cpuMs - ofDatabases) - server.totalMs;
  return [
    ["the suites' own processes, with the service in them", '', seconds(ownMs(sum))],
    ...Object.entries(PROGRAMS).map(([key, name]) => {
      const { count, cpuMs: ofProgram } = sum.figures.programs[key];
      return [name, String(count), seconds(ofProgram)];
    }),
    ["PostgreSQL, connections to suites' databases", '', seconds(ofDatabases)],
    ['PostgreSQL, connections to create and drop these', '', seconds(server.maintenanceMs)],
    ['PostgreSQL, the rest', '', seconds(server.totalMs - ofDatabases - server.maintenanceMs)],
    ['Jest between suites, its start, what setup and Redis take', '', seconds(rest)],
  ];
}

/** CPU and PostgreSQL are processor time, that of all processes and that of its databases; the rest is wall time. */
function suiteTable(suites) {
  const head = [
    ...['suite', 'CPU', 'wall', 'waiting', 'loading', 'databases', 'start', 'stop'],
    ...["tests' git", 'wall', "service's git", 'CPU', 'requests', 'wall', 'PostgreSQL'],
  ];
  const rows = suites.map((suite) => {
    const { activities, programs } = suite.figures;
    const wall = (key) => seconds(activities[key].wallMs);
    return [
      nameOf(suite),
      ...[suite.cpuMs, suite.wallMs, suite.waitingMs].map(seconds),
      ...['loading', 'databases', 'starting', 'stopping'].map(wall),
      ...[String(programs.gitOfTests.count), wall('git')],
      ...[String(programs.gitOfService.count), seconds(programs.gitOfService.cpuMs)],
      ...[String(activities.requests.count), wall('requests')],
      seconds(suite.serverMs),
    ];
  });
  return table(head, rows, { figuresFrom: 1 });
}

/** None where no test waits. */
function waitingTable(suites) {
  const tests = suites.flatMap((suite) =>
    suite.tests.map((test) => ({ ...test, suite: nameOf(suite) })),
  );
  const waiting = tests.filter(({ waitingMs }) => waitingMs >= MENTIONED_MS);
  const longest = waiting.sort((a, b) => b.waitingMs - a.waitingMs).slice(0, LONGEST);
  const rows = longest.map(({ suite, name, wallMs, waitingMs }) => [
    ...[suite, seconds(waitingMs), seconds(wallMs), name],
  ]);
  const head = ['suite', 'waiting', 'wall', 'tests that wait longest'];
  return rows.length === 0 ? [] : [table(head, rows)];
}

function nameOf({ suite, onRedis, isShared }) {
  const name = suite.replace(/^test\//, '').replace(/\.spec\.ts$/, '');
  const notes = [...(isShared ? ['shared'] : []), ...(onRedis ? ['on Redis'] : [])];
  return notes.length === 0 ? name : `${name} (${notes.join(', ')})`;
}

function ownMs({ figures: { activities } }) {
  return Object.values(activities).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

const named = (title, names) => (names.length === 0 ? [] : [`${title}:\n${names.join('\n')}`]);

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
