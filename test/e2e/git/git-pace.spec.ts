import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ClientChannel } from 'ssh2';
import { FLUSH_PACKET, pktLine, ZERO_OID } from '../../../src/git/index.js';
import { DownloadSlots } from '../../../src/modules/authorization/index.js';
import { ProjectStorage, RepositoryLocks } from '../../../src/modules/storage/index.js';
import { UnitOfWork } from '../../../src/platform/database/index.js';
import { childCommands } from '../../support/child-commands.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { branchPushBody, packOfLargeFile } from '../../support/raw-pack.js';
import { sendPush } from '../../support/raw-push.js';
import { beginCommand, SshPerson } from '../../support/ssh-person.js';
import { countLockWaits } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { packOf, pushBody } from '../../unit/git/support/raw-push.js';

jest.setTimeout(120_000);

const MB = 1_000_000;
const PATIENCE_MS = 400;
/** Of the service; read again and again. */
const RATE = { bytesPerSecond: 100_000, patienceMs: PATIENCE_MS };

describe('A slow Git client', () => {
  let trellis: Trellis;
  let owner: Person;
  let keys: SshPerson;
  let projects: PushedProjects;
  let large: PushedProject;
  const sockets: Socket[] = [];
  const clients: Client[] = [];

  beforeAll(async () => {
    trellis = await Trellis.start({
      because: 'git limits',
      servesSsh: true,
      gitLimits: {
        clientRate: RATE,
        negotiationMs: 1_000,
      },
    });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    keys = await SshPerson.create(trellis, owner);
    projects = new PushedProjects(trellis, owner);
    large = await projects.make();
    // More than what both ends of a connection hold.
    const pack = packOfLargeFile(24 * MB);
    large.head = pack.oid;
    const report = await sendPush(
      trellis,
      { project: large.project, person: owner },
      branchPushBody('large', pack),
    );
    expect(report).toContain('ok refs/heads/large');
  });
  afterEach(() => {
    RATE.patienceMs = PATIENCE_MS;
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const client of clients.splice(0)) client.destroy();
  });
  afterAll(async () => {
    await projects.remove();
    await keys.remove();
    await trellis.stop();
  });

  /** The processes of a git command in a repository. */
  function running(command: string, { project }: PushedProject): number {
    const folder = trellis.app.get(ProjectStorage).path({ id: project.id, storage: 'default' });
    return childCommands().filter((line) => line.includes(command) && line.includes(folder)).length;
  }

  async function begins(command: string, at: PushedProject): Promise<void> {
    await until(async () => running(command, at) > 0);
  }

  async function ends(command: string, at: PushedProject): Promise<void> {
    await until(async () => running(command, at) === 0);
  }

  /** Begins a request over HTTP whose body is sent in chunks. */
  async function post({ project }: PushedProject, service: string): Promise<Socket> {
    const socket = connect(Number(new URL(trellis.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const basic = Buffer.from(`${owner.user.username}:${owner.token}`).toString('base64');
    socket.write(
      [
        `POST /${project.fullPath}.git/${service} HTTP/1.1`,
        ...['Host: x', `Authorization: Basic ${basic}`, 'Transfer-Encoding: chunked', '', ''],
      ].join('\r\n'),
    );
    return socket;
  }

  const chunk = (bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

  /** Begins a command over SSH. */
  async function exec({ project }: PushedProject, command: string): Promise<ClientChannel> {
    const client = await keys.connect();
    clients.push(client);
    client.on('error', () => undefined);
    return beginCommand(client, `${command} '${project.fullPath}.git'`);
  }

  /**
   * Pushes a branch `slow` a byte now and then, until git has ended.
   * @param open begins the conversation, and returns what writes to it
   */
  async function drip(
    made: PushedProject,
    open: () => Promise<(bytes: Buffer) => void>,
  ): Promise<void> {
    const update = { ref: 'refs/heads/slow', oldOid: ZERO_OID, newOid: made.head };
    const body = pushBody([update], 'report-status', await packOf(made.work.folder, made.head));
    const begun = body.indexOf('PACK') + 12;
    const write = await open();
    write(body.subarray(0, begun));
    await begins('receive-pack', made);
    for (let at = begun; running('receive-pack', made) > 0; at += 1) {
      write(body.subarray(at, at + 1));
      await delay(50);
    }
    expect(await made.work.git('ls-remote', made.work.remote, 'refs/heads/slow')).toBe('');
  }

  const wantAll = ({ head }: PushedProject): Buffer =>
    Buffer.concat([pktLine(`want ${head}\n`), FLUSH_PACKET, pktLine('done\n')]);

  it('loses its clone over HTTP when it does not read', async () => {
    const socket = await post(large, 'git-upload-pack');
    socket.pause();
    socket.write(Buffer.concat([chunk(wantAll(large)), Buffer.from('0\r\n\r\n')]));
    await begins('upload-pack', large);
    await ends('upload-pack', large);
  });

  it('loses its clone over SSH when it reads a little now and then', async () => {
    const channel = await exec(large, 'git-upload-pack');
    await once(channel, 'readable');
    channel.write(wantAll(large));
    while (running('upload-pack', large) > 0) {
      channel.read(1);
      await delay(50);
    }
  });

  it('loses its archive over SSH, and the slot', async () => {
    const slots = trellis.app.get(DownloadSlots);
    const channel = await exec(large, 'git-upload-archive');
    channel.write(Buffer.concat([pktLine('argument large\n'), FLUSH_PACKET]));
    await once(channel, 'readable');
    expect(slots.taken).toBe(1);
    await ends('upload-archive', large);
    await until(() => Promise.resolve(slots.taken === 0));
  });

  it('loses its push over HTTP when it sends a byte now and then', async () => {
    const made = await projects.make();
    await drip(made, async () => {
      const socket = await post(made, 'git-receive-pack');
      socket.resume();
      return (bytes) => socket.write(chunk(bytes));
    });
  });

  it('loses its push over SSH when it sends a byte now and then', async () => {
    const made = await projects.make();
    await drip(made, async () => {
      const channel = await exec(made, 'git-receive-pack');
      channel.resume();
      return (bytes) => channel.write(bytes);
    });
  });

  it('loses its fetch when it negotiates without an end', async () => {
    const channel = await exec(large, 'git-upload-pack');
    await once(channel, 'data');
    channel.resume();
    channel.write(Buffer.concat([pktLine(`want ${large.head}\n`), FLUSH_PACKET]));
    await begins('upload-pack', large);
    while (running('upload-pack', large) > 0) {
      channel.write(pktLine(`have ${'1'.repeat(40)}\n`));
      await delay(50);
    }
  });

  it('is served while it keeps the minimum rate', async () => {
    const channel = await exec(large, 'git-upload-pack');
    await once(channel, 'readable');
    channel.write(wantAll(large));
    let received = 0;
    const slowly = setInterval(() => {
      const bytes = (channel.read() as Buffer | null)?.length ?? 0;
      received += bytes;
    }, 20);
    const [code] = (await once(channel, 'exit')) as [number];
    clearInterval(slowly);
    expect(code).toBe(0);
    received += channel.readableLength;
    expect(received).toBeGreaterThan(20 * MB);
  });

  it('is not timed out while the service works', async () => {
    const { project, work } = await projects.make();
    await work.commit('Waits for a lock');
    let isOver = false;
    RATE.patienceMs = 10 * PATIENCE_MS;
    // Pushes are judged and recorded under this lock.
    const push = await trellis.app.get(UnitOfWork).run(async () => {
      await trellis.app.get(RepositoryLocks).take(project.id);
      const pushing = keys.git(['push', keys.url(project), 'HEAD:refs/heads/waits'], work.folder);
      void pushing.then(() => (isOver = true));
      await until(async () => (await countLockWaits(trellis)) > 0);
      RATE.patienceMs = PATIENCE_MS;
      await delay(3 * PATIENCE_MS);
      expect(isOver).toBe(false);
      return { pushing };
    });
    expect(await push.pushing).toMatchObject({ code: 0 });
  });

  it('may push in parts while they keep the minimum rate', async () => {
    const made = await projects.make();
    const pack = packOfLargeFile(240_000);
    const body = branchPushBody('parts', pack);
    const socket = await post(made, 'git-receive-pack');
    socket.resume();
    for (let at = 0; at < body.length; at += 20_000) {
      socket.write(chunk(body.subarray(at, at + 20_000)));
      await delay(100);
    }
    socket.write('0\r\n\r\n');
    await until(async () =>
      (await made.work.git('ls-remote', made.work.remote, 'refs/heads/parts')).startsWith(pack.oid),
    );
  });

  it('gets no response before the push is complete, because nginx would stop sending', async () => {
    RATE.patienceMs = 30_000;
    const made = await projects.make();
    const update = { ref: 'refs/heads/whole', oldOid: ZERO_OID, newOid: made.head };
    const body = pushBody([update], 'report-status', await packOf(made.work.folder, made.head));
    const begun = body.indexOf('PACK') + 12;
    const socket = await post(made, 'git-receive-pack');
    const response = once(socket, 'data');
    socket.write(chunk(body.subarray(0, begun)));
    await begins('receive-pack', made);
    expect(socket.bytesRead).toBe(0);
    socket.write(Buffer.concat([chunk(body.subarray(begun)), Buffer.from('0\r\n\r\n')]));
    expect(String((await response)[0])).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});
