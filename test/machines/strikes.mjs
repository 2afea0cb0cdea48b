// What is killed or cut off at a site, and how it comes back.
import { setTimeout as delay } from 'node:timers/promises';
import { join, separate } from './network.mjs';

/** After which a cluster manager would have noticed that a server of PostgreSQL is lost. */
const NOTICED_MS = 3_000;
const SOON_MS = 2_000;
const AWAY_MS = 8_000;

/** By name: each takes the site and a random choice, and answers what was struck once it is back. */
export const STRIKES = {
  'api killed': (rig) => killRole(rig, 'api'),
  'worker killed': (rig) => killRole(rig, 'worker'),
  'brick killed': killBrick,
  'machine off': turnOff,
  'machine unplugged': unplug,
  'two machines separated': separateTwo,
  'primary killed': killPrimary,
  'Redis master killed': killRedisMaster,
};

async function killRole({ site, random }, role) {
  const service = random.pick(site.services);
  await service.kill(role);
  await delay(SOON_MS);
  await service.start();
  return service.machine.name;
}

async function killBrick({ site, random }) {
  const machine = random.pick(site.machines);
  await site.volume.killBrick(machine);
  await delay(AWAY_MS);
  await site.volume.reviveBricks();
  return machine.name;
}

async function turnOff({ site, random }) {
  const machine = random.pick(site.machines);
  const { volume, redis, cluster } = site;
  await machine.turnOff();
  await loseDatabase(cluster, machine);
  await delay(AWAY_MS);
  await machine.turnOn();
  await volume.startDaemon(machine);
  await volume.mount(machine);
  for (const server of redis.on(machine)) await server.resume();
  await site.serviceOn(machine)?.start();
  return `${machine.name}${await regainDatabase(cluster)}`;
}

async function unplug({ site, random }) {
  const machine = random.pick(site.machines);
  await machine.unplug();
  await loseDatabase(site.cluster, machine);
  await delay(AWAY_MS);
  await machine.plugIn();
  return `${machine.name}${await regainDatabase(site.cluster)}`;
}

async function separateTwo({ site, random }) {
  const left = random.pick(site.machines);
  const [one, other] = site.machines.filter((machine) => machine !== left);
  const { cluster } = site;
  await separate(one, other);
  const isBetween = cluster.servers.every(({ machine }) => machine !== left);
  if (isBetween) await loseDatabase(cluster, cluster.standby.machine);
  await delay(AWAY_MS);
  await join(one, other);
  return `${one.name}, ${other.name}${await regainDatabase(cluster)}`;
}

async function killPrimary({ site: { cluster } }) {
  const { name } = cluster.primary.machine;
  await cluster.primary.kill();
  await loseDatabase(cluster, cluster.primary.machine);
  return `${name}${await regainDatabase(cluster)}`;
}

async function killRedisMaster({ site: { redis } }) {
  const server = await redis.master();
  await server.kill();
  await delay(AWAY_MS);
  await server.resume();
  return server.host;
}

/** Does what a cluster manager does when the machine is lost: it makes sure that a lost primary takes no more writes. */
async function loseDatabase(cluster, machine) {
  const { primary, standby } = cluster;
  if (![primary.machine, standby.machine].includes(machine)) return;
  await delay(NOTICED_MS);
  if (standby.machine === machine) return cluster.standAlone();
  await primary.kill();
  await cluster.promote();
  await cluster.standAlone();
}

/** Gives the primary a standby again where it lost it. */
async function regainDatabase(cluster) {
  if (cluster.isSynchronous) return '';
  await cluster.replaceStandby();
  return `, PostgreSQL's primary is ${cluster.primary.machine.name}`;
}
