import { execFile } from 'node:child_process';
import { CLIENTS } from '../test/clients/clients.mjs';
import { findCommit } from '../test/upgrade/release-build.mjs';
import { NODE_PACKAGE } from '../test/node/releases.mjs';
import { isInstalled, PROXIES } from '../test/proxies/proxies.mjs';
import { newestRelease } from '../test/upgrade/releases.mjs';
import { hasRedisServer } from './redis.mjs';
import { findSuites } from './suites.mjs';

/**
 * @typedef {object} Script
 * @property {string} file takes --seed
 * @property {string} [variant] distinguishes it from others of the campaign
 * @property {string[]} long arguments of the long form
 * @property {string[]} [short] those of a form that takes a minute or two; what has none is not run with --short
 * @property {(url: string) => string[]} [onRedis] further arguments, given the address of a Redis of its own
 * @property {boolean} [onDisk] its temporary files cannot be in memory
 * @property {('short' | 'long')[]} [alone] forms in which it needs the machine for itself
 * @property {() => Promise<string | undefined>} [findLack] what it needs beyond that and does not find here
 */

/**
 * @typedef {object} Campaign
 * @property {string} name
 * @property {string} about
 * @property {Script[]} scripts
 * @property {import('./suites.mjs').Suite[]} suites those that are tagged with its name
 */

const DELIVERIES = ['--deliveries', '1000', '--writes', '500', '--strikes', '2'];
const FEW_DELIVERIES = [
  ...['--deliveries', '80', '--writes', '40', '--strikes', '1'],
  ...['--slow', '2', '--away', '2', '--together'],
];
/** Amid which the master of the queues is lost. */
const FAILOVERS = ['--deliveries', '1000', '--writes', '500', '--strikes', '2', '--away', '3'];
const FEW_FAILOVERS = ['--deliveries', '80', '--strikes', '1', '--away', '1'];
/** The attacks that were worst, one of each kind: forms, texts, messages, bodies, passwords. */
const WORST_ATTACKS =
  'form-brackets,issue-move,commit-messages-by-api,json-numbers,wrong-basic-logins';

/** A clone without history cannot build the release; where the history is whole, the script fails itself. */
async function lackOfHistory() {
  const { version, commit } = await newestRelease();
  const isCutOff = (await findCommit(commit)) === 'cut off';
  return isCutOff ? `no history with ${version}; git fetch --unshallow` : undefined;
}

const SIDE_BY_SIDE = {
  file: 'test/upgrade/side-by-side.mjs',
  long: [],
  short: [],
  findLack: lackOfHistory,
};

const lackOfRedis = async () => ((await hasRedisServer()) ? undefined : 'no Redis');

/** @param fault of the short form; the long one has all */
const withFailover = (of, option, fault) => ({
  variant: `with ${of}`,
  file: 'test/faults/deliveries.mjs',
  long: [option, ...FAILOVERS],
  short: [option, ...FEW_FAILOVERS, '--faults', fault],
  findLack: lackOfRedis,
});

const behindProxy = (name) => ({
  variant: `behind ${name}`,
  file: 'test/proxies/campaign.mjs',
  long: ['--proxy', name, '--megabytes', '300', '--silence', '70'],
  short: ['--proxy', name, '--megabytes', '30', '--silence', '2'],
  findLack: async () => (isInstalled(name) ? undefined : `no ${name}`),
});

const isPgBouncerInstalled = () =>
  new Promise((resolve) => execFile('pgbouncer', ['--version'], (error) => resolve(!error)));

const MACHINE_PROGRAMS = ['glusterd', 'redis-server', 'haproxy', 'ip', 'bridge', 'setpriv'];

async function lackOfMachines() {
  if (process.getuid?.() !== 0) return 'not root';
  const missing = (await Promise.all(MACHINE_PROGRAMS.map(findMissing))).filter(Boolean);
  return missing.length > 0 ? `no ${missing.join(', ')}` : undefined;
}

const findMissing = (program) =>
  new Promise((resolve) =>
    execFile('which', [program], (error) => resolve(error ? program : undefined)),
  );

async function lackOfPackage(name) {
  const isThere = await new Promise((resolve) =>
    execFile('npm', ['view', name, 'version'], (error) => resolve(!error)),
  );
  return isThere ? undefined : `no ${name} from the registry of npm`;
}

const SCRIPTS = {
  crash: {
    about: 'kills the built service amid pushes and project creations',
    scripts: [
      {
        file: 'test/crash/rounds.mjs',
        long: ['--rounds', '40', '--containers'],
        short: ['--rounds', '3', '--containers'],
      },
      {
        file: 'test/crash/rounds.mjs',
        long: ['--rounds', '20', '--apart'],
        short: ['--rounds', '3', '--apart'],
        onRedis: (url) => ['--redis', url],
      },
    ],
  },
  faults: {
    about: 'kills, stops and empties what deliveries to hooks depend on',
    scripts: [
      { file: 'test/faults/deliveries.mjs', long: DELIVERIES, short: FEW_DELIVERIES },
      {
        // Which it starts, stops and empties itself.
        variant: 'on Redis',
        file: 'test/faults/deliveries.mjs',
        long: ['--redis', ...DELIVERIES],
        short: ['--redis', ...FEW_DELIVERIES],
        findLack: lackOfRedis,
      },
      withFailover('Sentinels', '--sentinels', 'redis-master-killed'),
      withFailover('a cluster', '--cluster', 'redis-master-silent'),
    ],
  },
  postgres: {
    about:
      'kills or freezes the primary of PostgreSQL and promotes its standby, or the standby while reads come from there, and runs behind a PgBouncer',
    scripts: [
      {
        variant: 'with a standby',
        file: 'test/faults/deliveries.mjs',
        long: ['--standby', ...DELIVERIES],
        short: ['--standby', '--faults', 'primary', '--writes', '150', '--strikes', '1'],
      },
      {
        variant: 'with reads from a standby',
        file: 'test/faults/replicas.mjs',
        long: ['--rounds', '2', '--steps', '40', '--clients', '8'],
        short: ['--rounds', '1', '--steps', '15'],
      },
      {
        variant: 'behind PgBouncer',
        file: 'test/faults/deliveries.mjs',
        long: ['--pooler', '--faults', 'pooler,worker,database', ...DELIVERIES],
        short: ['--pooler', '--writes', '150', '--strikes', '1'],
        findLack: async () => ((await isPgBouncerInstalled()) ? undefined : 'no pgbouncer'),
      },
    ],
  },
  machines: {
    about: 'kills and cuts off what a site of three machines on GlusterFS consists of, under load',
    scripts: [
      {
        file: 'test/machines/campaign.mjs',
        // Each machine has a /dev/shm of its own.
        onDisk: true,
        long: ['--minutes', '10'],
        short: ['--minutes', '2'],
        findLack: lackOfMachines,
      },
    ],
  },
  upgrade: {
    about: 'runs the last release and the present build side by side on one database',
    scripts: [SIDE_BY_SIDE, { ...SIDE_BY_SIDE, onRedis: (url) => ['--redis', url] }],
  },
  proxies: {
    about: 'uses the service through nginx and Caddy with the examples of docker/',
    scripts: Object.keys(PROXIES).map(behindProxy),
  },
  node: {
    about:
      'installs the package on each supported release of Node, and runs end-to-end suites there',
    scripts: [
      {
        file: 'test/node/campaign.mjs',
        // The long form runs all end-to-end suites.
        alone: ['long'],
        onDisk: true,
        long: [],
        short: ['--releases', '26', '--samples', 'users'],
        findLack: () => lackOfPackage(NODE_PACKAGE),
      },
    ],
  },
  clients: {
    about: 'installs clients of version 4 from npm and Debian, and drives them against the service',
    scripts: [
      {
        // Without a short form: what has to pass for every change needs no registry.
        file: 'test/clients/campaign.mjs',
        onDisk: true,
        long: [],
        findLack: () => lackOfPackage(CLIENTS[0].name),
      },
    ],
  },
  hostile: {
    about: 'attacks the built service while another user works; needs a machine without other work',
    scripts: [
      {
        file: 'test/hostile/campaign.mjs',
        // It measures.
        alone: ['short', 'long'],
        long: ['--rounds', '1', '--mixed'],
        short: ['--only', WORST_ATTACKS, '--rounds', '1', '--mixed', '--baseline', '5', '--loaded'],
      },
    ],
  },
  fuzz: {
    about:
      'holds generated conversations over HTTP, SSH and with receivers, and sends names that mean harm; needs a machine without other work',
    scripts: [
      {
        file: 'test/fuzz/campaign.mjs',
        // It measures.
        alone: ['short', 'long'],
        long: [],
        short: ['--percent', '4', '--loaded'],
      },
    ],
  },
};

/**
 * Returns the campaigns of scripts, then those that suites are tagged with, by name.
 * @returns {Promise<Campaign[]>}
 */
export async function findCampaigns() {
  const suites = (await findSuites()).filter(({ campaign }) => campaign !== undefined);
  const names = [...new Set(suites.map(({ campaign }) => campaign))].sort();
  return [...new Set([...Object.keys(SCRIPTS), ...names])].map((name) => {
    const { about, scripts = [] } = SCRIPTS[name] ?? {};
    const own = suites.filter(({ campaign }) => campaign === name);
    return { name, about: about ?? own.map(nameOf).join(', '), scripts, suites: own };
  });
}

const nameOf = ({ path }) => path.slice(path.lastIndexOf('/') + 1).replace(/\.spec\.ts$/, '');
