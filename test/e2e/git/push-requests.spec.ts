import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'ssh2';
import { FLUSH_PACKET, pktLine, ZERO_OID } from '../../../src/git/index.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { sendPush } from '../../support/raw-push.js';
import { runCommand, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import { packOf } from '../../unit/git/support/raw-push.js';

jest.setTimeout(120_000);

const CAPABILITIES = 'report-status side-band-64k';

describe('The commands before the pack of a push', () => {
  let trellis: Trellis;
  let owner: Person;
  let keys: SshPerson;
  /** Signed in over SSH. */
  let connection: Client;
  let projects: PushedProjects;
  let pushed: PushedProject;
  let repository: PushedRefs;
  let pack: Buffer;

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    keys = await SshPerson.create(trellis, owner);
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make();
    repository = new PushedRefs(trellis, pushed.project);
    pack = await packOf(pushed.work.folder, pushed.head);
    connection = await keys.connect();
  });
  afterAll(async () => {
    const closed = once(connection, 'close');
    connection.end();
    await closed;
    await projects.remove();
    await keys.remove();
    await trellis.restore();
  });

  const command = (ref: string, capabilities?: string): Buffer =>
    pktLine(
      `${ZERO_OID} ${pushed.head} ${ref}${capabilities === undefined ? '' : `\0${capabilities}`}\n`,
    );

  /** Sends a push without any client of git, and returns what is answered, as Latin-1. */
  async function push(by: string, ...parts: readonly (Buffer | string)[]): Promise<string> {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part as Buffer)));
    if (by === 'SSH') {
      const line = `git-receive-pack '${pushed.project.fullPath}.git'`;
      return (await runCommand(connection, line, { input: body })).stdout;
    }
    return sendPush(trellis, { project: pushed.project, person: owner }, body);
  }

  const refs = (): Promise<string> => repository.git('for-each-ref');
  const objects = (): Promise<string> =>
    repository.git('cat-file', '--batch-all-objects', '--batch-check');

  const quarantines = async (): Promise<string[]> => {
    const folder = join(await repository.git('rev-parse', '--absolute-git-dir'), 'objects');
    return (await readdir(folder)).filter((name) => name.startsWith('tmp_objdir-'));
  };

  describe.each(['HTTP', 'SSH'])('over %s', (by) => {
    it('are refused with a push certificate, which is not stored', async () => {
      const before = [await refs(), await objects()];
      const certificate = [
        pktLine(`push-cert\0${CAPABILITIES}\n`),
        ...['certificate version 0.1', 'pusher Mallory', 'nonce 1', ''].map((line) =>
          pktLine(`${line}\n`),
        ),
        pktLine(`${ZERO_OID} ${pushed.head} refs/heads/signed\n`),
        pktLine('-----BEGIN PGP SIGNATURE-----\n'),
        pktLine('push-cert-end\n'),
        FLUSH_PACKET,
        pack,
      ];
      expect(await push(by, ...certificate)).toContain('ERR Push certificates are not accepted.');
      const later = [
        command('refs/heads/signed', CAPABILITIES),
        pktLine('push-cert\n'),
        FLUSH_PACKET,
      ];
      const answer = await push(by, ...later, pack);
      expect(answer).toContain('unpack Push certificates are not accepted.');
      expect(answer).toContain('ng refs/heads/signed Push certificates are not accepted.');
      expect([await refs(), await objects()]).toEqual(before);
    });

    it('are refused with capabilities that were not offered', async () => {
      for (const capability of ['push-cert=1', 'session-id=a', 'allow-everything', 'Atomic']) {
        const name = capability.split('=')[0] ?? '';
        const line = command('refs/heads/strange', `${CAPABILITIES} ${capability}`);
        const answer = await push(by, line, FLUSH_PACKET, pack);
        expect(answer).toContain(`The capability "${name}" is not offered.`);
      }
      expect(await refs()).not.toContain('strange');
    });

    it('may have up to 64 push options of 4 KiB', async () => {
      const options = (count: number, size: number): Buffer[] => [
        ...Array.from({ length: count }, () => pktLine('o'.repeat(size))),
        FLUSH_PACKET,
      ];
      const branch = `refs/heads/options-${by}`;
      const begin = [command(branch, `${CAPABILITIES} push-options`), FLUSH_PACKET];
      for (const [count, size] of [
        [65, 1],
        [1, 4097],
        // More than the memory that a request may take.
        [8_300, 4096],
      ] as const) {
        const answer = await push(by, ...begin, ...options(count, size), pack);
        expect(answer).toContain(`ng ${branch} A push has at most 64 options of 4,096 bytes.`);
      }
      expect(await refs()).not.toContain(branch);
      expect(await push(by, ...begin, ...options(64, 4096), pack)).toContain(`ok ${branch}`);
    });

    it.each(['tree', 'tag', 'commit'])('may name a %s as the boundary of a clone', async (type) => {
      const { work, head } = pushed;
      await work.git('tag', '--force', '-a', '-m', 'A tag', 'boundary', head);
      const revision = { tree: `${head}^{tree}`, tag: 'boundary', commit: head }[type] ?? '';
      const boundary = await work.git('rev-parse', revision);
      const tag = pktLine(
        `${ZERO_OID} ${await work.git('rev-parse', 'boundary')} refs/tags/${by}-${type}\n`,
      );
      const ref = `refs/heads/${by}-${type}`;
      const lines = [pktLine(`shallow ${boundary}\n`), command(ref, CAPABILITIES), tag];
      const sent = await packOf(work.folder, 'boundary');
      expect(await push(by, ...lines, FLUSH_PACKET, sent)).toContain(`ok ${ref}`);
      expect(await refs()).toContain(`${head} commit\t${ref}\n`);
      expect(await quarantines()).toEqual([]);
    });

    it('are refused for more than 10,000 changed refs, with their number', async () => {
      const lines = Array.from({ length: 12_345 }, (_, at) =>
        command(`refs/heads/many/${String(at)}`, at === 0 ? CAPABILITIES : undefined),
      );
      const answer = await push(by, ...lines, FLUSH_PACKET, pack);
      expect(answer).toContain(
        'The push changes 12,345 refs; one push changes at most 10,000. Push them in parts.',
      );
      expect(await refs()).not.toContain('refs/heads/many/');
    });

    it('are refused for an old value that does not exist', async () => {
      const claim = (ref: string, rest = '\n') =>
        pktLine(`${'ab'.repeat(20)} ${pushed.head} refs/heads/${ref}${rest}`);
      const ofProtected = claim('master', `\0${CAPABILITIES}\n`);
      expect(await push(by, ofProtected, FLUSH_PACKET, pack)).toContain(
        'ng refs/heads/master You are not allowed to force push code to a protected branch',
      );
      const topic = `refs/heads/topic-${by}`;
      const accepted = command(topic, CAPABILITIES);
      const answer = await push(by, accepted, claim('absent'), FLUSH_PACKET, pack);
      expect(answer).toContain(`ok ${topic}`);
      expect(answer).toContain('ng refs/heads/absent ');
      expect(await refs()).not.toContain('refs/heads/absent');
    });

    it('are refused for a new value that does not exist', async () => {
      const absent = `${pushed.head} ${'cd'.repeat(20)} refs/heads/master\0${CAPABILITIES}\n`;
      expect(await push(by, pktLine(absent), FLUSH_PACKET, pack)).toContain(
        'ng refs/heads/master You are not allowed to force push code to a protected branch',
      );
    });

    it('report reserved refs one by one, and do not count them', async () => {
      const count = 10_001;
      const branch = `refs/heads/beside-${by}`;
      const lines = Array.from({ length: count }, (_, at) =>
        command(`refs/pull/${String(at)}/head`, at === 0 ? CAPABILITIES : undefined),
      );
      const answer = await push(by, ...lines, command(branch), FLUSH_PACKET, pack);
      expect(answer.split('This ref is reserved.')).toHaveLength(count + 1);
      expect(answer).toContain(`ok ${branch}`);
      expect(await refs()).toContain(branch);
    });
  });

  it('accept the options of an ordinary client', async () => {
    const { work } = pushed;
    for (const args of [
      ['push', '-o', 'ci.skip', work.remote, 'HEAD:refs/heads/skipped'],
      ['push', '--atomic', work.remote, 'HEAD:refs/heads/a', 'HEAD:refs/heads/b'],
      ['push', `--force-with-lease=a:${pushed.head}`, work.remote, 'HEAD:refs/heads/a'],
      ['push', '--delete', work.remote, 'b'],
      ['push', '--signed=if-asked', work.remote, 'HEAD:refs/heads/signed-if-asked'],
    ]) {
      const { code, stderr } = await work.try(...args);
      expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    }
  });
});
