// A volume of GlusterFS with a brick on each machine, mounted on each.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { until } from '../crash/processes.mjs';

const VOLUME = 'repositories';
const READY_MS = 60_000;
const POLL_MS = 250;
/** Where each machine has the volume. */
export const MOUNTED = '/run/repositories';

/** What glusterd keeps on a machine, by the folders of Debian's package. */
export const GLUSTER_FOLDERS = { '/var/lib/glusterd': 'glusterd', '/var/log/glusterfs': 'log' };

/** What `docs/scaling.md` names. */
export const OPTIONS = {
  'performance.stat-prefetch': 'off',
  'performance.quick-read': 'off',
  'performance.open-behind': 'off',
  'network.ping-timeout': '10',
  'cluster.heal-timeout': '10',
};

export class GlusterVolume {
  constructor(machines) {
    this.machines = machines;
  }

  async create(options) {
    const [first, ...others] = this.machines;
    for (const machine of this.machines) {
      await mkdir(brickOf(machine), { recursive: true });
      await this.startDaemon(machine);
    }
    for (const { host } of others) await gluster(first, 'peer', 'probe', host);
    const isJoined = async () =>
      (await gluster(first, 'peer', 'status')).match(/\(Connected\)/g)?.length === others.length;
    await require('the peers', isJoined);
    const bricks = this.machines.map((machine) => `${machine.host}:${brickOf(machine)}`);
    await require('the volume', () =>
      gluster(
        first,
        'volume',
        'create',
        VOLUME,
        'replica',
        String(bricks.length),
        ...bricks,
        'force',
      ));
    await this.set(options);
    await gluster(first, 'volume', 'start', VOLUME);
    for (const machine of this.machines) await this.mount(machine);
  }

  async set(options) {
    for (const [name, value] of Object.entries(options)) {
      await gluster(this.machines[0], 'volume', 'set', VOLUME, name, value);
    }
  }

  /** After a start of the machine, it starts the brick as well. */
  async startDaemon(machine) {
    await machine.run('mkdir', ['-p', '/run/gluster']);
    await machine.run('glusterd', []);
    await require('glusterd', () => gluster(machine, 'volume', 'list'));
  }

  async mount(machine) {
    await machine.run('mkdir', ['-p', MOUNTED]);
    const source = `${machine.host}:/${VOLUME}`;
    await require('the mount', async () => {
      await machine.run('mount', ['-t', 'glusterfs', source, MOUNTED]);
      return machine.run('ls', [MOUNTED]).then(() => true);
    });
  }

  async killBrick(machine) {
    await machine.run('sh', ['-c', 'kill -9 $(cat /run/gluster/vols/*/*.pid)']);
  }

  /** Starts the bricks that do not run. */
  reviveBricks() {
    return gluster(this.machines[0], 'volume', 'start', VOLUME, 'force');
  }

  /**
   * Waits until every mount has every brick, and every brick what the others have.
   * @throws Error with what GlusterFS says when that takes too long
   */
  async untilWhole(limitMs) {
    const isWhole = async () => (await this.#areConnected()) && (await this.#isHealed());
    if (await until(isWhole, limitMs, POLL_MS)) return;
    const info = await gluster(this.machines[0], 'volume', 'heal', VOLUME, 'info');
    throw new Error(`GlusterFS does not heal, connected: ${await this.#areConnected()}\n${info}`);
  }

  async #areConnected() {
    const states = await Promise.all(
      this.machines.map(async (machine) => {
        const files = `${MOUNTED}/.meta/graphs/active/${VOLUME}-client-*/private`;
        const said = await machine.run('sh', ['-c', `cat ${files}`]).catch(() => '');
        return said.match(/^connected = 1$/gm)?.length === this.machines.length;
      }),
    );
    return states.every(Boolean);
  }

  async #isHealed() {
    const [first] = this.machines;
    const said = await gluster(first, 'volume', 'heal', VOLUME, 'info', 'summary').catch(() => '');
    const open = [...said.matchAll(/^Total Number of entries: (.+)$/gm)].map(([, count]) => count);
    return open.length === this.machines.length && open.every((count) => count === '0');
  }
}

export const brickOf = ({ folder }) => path.join(folder, 'brick');

const gluster = (machine, ...args) => machine.run('gluster', ['--mode=script', ...args]);

/** @throws Error with the last failure when it does not succeed in time */
async function require(what, attempt) {
  let failure;
  const isDone = await until(
    () =>
      attempt().then(
        (answer) => answer !== false,
        (error) => ((failure = error), false),
      ),
    READY_MS,
    POLL_MS,
  );
  if (!isDone) throw new Error(`GlusterFS: ${what}, in vain`, { cause: failure });
}
