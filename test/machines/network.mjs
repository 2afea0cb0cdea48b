// Machines: namespaces of processes, mounts, names and network each, on one switch. They vanish with their first process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { kill, run, until } from '../crash/processes.mjs';

const SWITCH = 'switch';
const SUBNET = '10.77.0';
const LAST_HOST = 254;
/** Of the script, which is on the switch as well. */
export const OWN_HOST = `${SUBNET}.${LAST_HOST}`;
const START_MS = 10_000;
/** Reaps what its children leave behind, as the first process of any machine does. */
const INIT =
  'hostname "$1"; mount -t tmpfs none /run; mount -t tmpfs none /dev/shm; sleep infinity & wait';
const SIGNAL_NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a script once more, in a network of its own, with all it starts in a namespace of processes that ends with it.
 * @param file takes `--inside` then
 * @returns its exit code
 */
export async function runInside(file, args) {
  const namespaces = [
    '--net',
    '--mount',
    '--ipc',
    '--pid',
    '--mount-proc',
    '--fork',
    '--kill-child',
  ];
  const command = ['unshare', ...namespaces, process.execPath, file, '--inside', ...args];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], { stdio: 'inherit' });
  for (const signal of SIGNAL_NAMES) {
    process.on(signal, () => void childOf(child.pid).then((pid) => process.kill(pid, signal)));
  }
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** Makes the switch in the script's own network. */
export async function makeSwitch() {
  await ip('link', 'set', 'lo', 'up');
  await ip('link', 'add', SWITCH, 'type', 'bridge');
  await ip('addr', 'add', `${OWN_HOST}/24`, 'dev', SWITCH);
  await ip('link', 'set', SWITCH, 'up');
}

let ownHosts = 1;

/** Gives the script one more address on the switch. */
export async function addOwnHost() {
  const host = `${SUBNET}.${LAST_HOST - ownHosts}`;
  ownHosts += 1;
  await ip('addr', 'add', `${host}/24`, 'dev', SWITCH);
  return host;
}

export class Machine {
  #init;
  #pid;

  /** @param folders those of its own, by the folders that it shows them as */
  constructor({ number, folder, folders = {} }) {
    Object.assign(this, { name: `m${number}`, host: `${SUBNET}.${number}`, folder, folders });
    this.port = `port${number}`;
  }

  get isOn() {
    return this.#init !== undefined;
  }

  async turnOn() {
    await mkdir(this.folder, { recursive: true });
    const namespaces = [
      '--net',
      '--mount',
      '--ipc',
      '--uts',
      '--pid',
      '--mount-proc',
      '--fork',
      '--kill-child',
    ];
    const init = spawn('unshare', [...namespaces, 'sh', '-c', INIT, 'sh', this.name], {
      stdio: 'ignore',
    });
    this.#init = init;
    const isThere = () => childOf(init.pid).catch(() => undefined);
    this.#pid = await until(isThere, START_MS, 5);
    await ip(
      'link',
      'add',
      this.port,
      'type',
      'veth',
      'peer',
      'name',
      'eth0',
      'netns',
      String(this.#pid),
    );
    await ip('link', 'set', this.port, 'master', SWITCH, 'up');
    await this.run('ip', ['addr', 'add', `${this.host}/24`, 'dev', 'eth0']);
    await this.run('ip', ['link', 'set', 'eth0', 'up']);
    await this.run('ip', ['link', 'set', 'lo', 'up']);
    for (const [shown, name] of Object.entries(this.folders)) {
      const own = path.join(this.folder, name);
      await mkdir(own, { recursive: true });
      await this.run('mkdir', ['-p', shown]);
      await this.run('mount', ['--bind', own, shown]);
    }
  }

  /** Ends everything on it at once, as when the power fails. */
  async turnOff() {
    if (!this.isOn) return;
    const ended = once(this.#init, 'exit');
    kill(this.#pid);
    await ended;
    this.#init = undefined;
  }

  /** Pulls its cable: what it sends gets nowhere, and no connection is closed. */
  unplug() {
    return ip('link', 'set', this.port, 'nomaster');
  }

  plugIn() {
    return ip('link', 'set', this.port, 'master', SWITCH);
  }

  /**
   * Starts a process on it.
   * @returns a child process whose `pid` and `kill` are those of the process itself
   */
  async spawn(file, args, options = {}) {
    const { uid, gid, ...others } = options;
    const identity = uid === undefined ? [] : ['--setuid', String(uid), '--setgid', String(gid)];
    const child = spawn('nsenter', [...this.#enter, ...identity, '--', file, ...args], others);
    const inner = await until(
      () => childOf(child.pid).catch(() => child.exitCode !== null),
      START_MS,
      2,
    );
    if (inner === true) return child;
    Object.defineProperty(child, 'pid', { value: inner });
    child.kill = (signal = 'SIGTERM') => child.exitCode === null && process.kill(inner, signal);
    return child;
  }

  /** @throws Error when it fails; answers what it wrote */
  async run(file, args) {
    return runOrThrow('nsenter', [...this.#enter, '--', file, ...args]);
  }

  get #enter() {
    return ['--target', String(this.#pid), '--net', '--mount', '--ipc', '--uts', '--pid'];
  }
}

/** Lets two machines hear nothing of each other, while both are heard by the others. */
export async function separate(one, other) {
  for (const { port } of [one, other]) await bridgePort(port, 'on');
}

export async function join(one, other) {
  for (const { port } of [one, other]) await bridgePort(port, 'off');
}

const bridgePort = (port, isolated) =>
  runOrThrow('bridge', ['link', 'set', 'dev', port, 'isolated', isolated]);

const ip = (...args) => runOrThrow('ip', args);

export async function runOrThrow(file, args) {
  const { code, stdout, stderr } = await run(file, args);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** The first child of a process, as this script sees it. */
async function childOf(pid) {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const [first] = children.split(' ').filter(Boolean);
  if (first === undefined) throw new Error(`Process ${pid} has no child`);
  return Number(first);
}
