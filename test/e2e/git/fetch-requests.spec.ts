import { once } from 'node:events';
import type { Client } from 'ssh2';
import { FLUSH_PACKET, pktLine } from '../../../src/git/index.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { sendToGit } from '../../support/raw-push.js';
import { runCommand, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const REFUSAL =
  'ERR The request is too long: at most 33,554,432 bytes may be sent before an answer.';
const TOO_MANY_REFS =
  'ERR The fetch names too many refs: at most 4,096 prefixes may be sent, six for each ref. Fetch them in parts.';
/** Lines that take 37 MB, each of a commit that is nowhere. */
const HAVES = Buffer.from('0032have 1111111111111111111111111111111111111111\n'.repeat(740_000));
/** Capabilities of pushes, of other versions and of other settings, and unknown ones. */
const NOT_OFFERED = [
  ...['atomic', 'report-status', 'push-cert=1', 'push-options', 'session-id=a', 'object-info'],
  ...['object-format=sha256', 'server-option=a', 'sideband-all', 'packfile-uris=https'],
  ...['ref-in-want', 'wait-for-done', 'bundle-uri', 'no-done', 'unknown', 'unknown=1'],
];

/** Requests of version 2: command and capabilities, an argument, and why it is refused. */
const REFUSED: readonly [head: string[], argument: string | null, reason: string][] = [
  [['command=push'], null, "invalid command 'push'"],
  [['command=bundle-uri'], null, "invalid command 'bundle-uri'"],
  [['command=fetch', 'session-id=a'], null, "unknown capability 'session-id=a'"],
  [['command=fetch', 'unknown=1'], null, "unknown capability 'unknown=1'"],
  [['command=fetch', 'object-format=sha256'], null, 'mismatched object format'],
  [['command=fetch'], 'sideband-all', "unexpected line: 'sideband-all'"],
  [['command=fetch'], 'packfile-uris=https', "unexpected line: 'packfile-uris=https'"],
  [
    ['command=fetch'],
    'want-ref refs/heads/master',
    "unexpected line: 'want-ref refs/heads/master'",
  ],
  [['command=fetch'], 'unknown', "unexpected line: 'unknown'"],
  [['command=ls-refs'], 'unknown', "unexpected line: 'unknown'"],
];

describe('The request of a fetch', () => {
  let trellis: Trellis;
  let owner: Person;
  let keys: SshPerson;
  /** Signed in over SSH. */
  let connection: Client;
  let projects: PushedProjects;
  let pushed: PushedProject;

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    owner = await trellis.factories.user();
    keys = await SshPerson.create(trellis, owner);
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make({ visibilityLevel: 20 });
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

  /** A request that is too long, in another version over each transport: the same code counts its bytes. */
  const tooLong = (by: string): [protocol: string, body: Buffer] => {
    const want = pktLine(`want ${pushed.head}\n`);
    const begin = Buffer.concat([pktLine('command=fetch\n'), Buffer.from('0001'), want]);
    return by === 'SSH'
      ? ['version=0', Buffer.concat([want, FLUSH_PACKET, HAVES, pktLine('done\n')])]
      : ['version=2', Buffer.concat([begin, HAVES, FLUSH_PACKET])];
  };

  /** A request for the refs with some prefixes, the last of which is that of a branch. */
  const lsRefs = (prefixes: number): Buffer =>
    Buffer.concat([
      ...[pktLine('command=ls-refs\n'), Buffer.from('0001')],
      ...Array.from({ length: prefixes - 1 }, (_, at) => pktLine(`ref-prefix r${String(at)}\n`)),
      ...[pktLine('ref-prefix refs/heads/\n'), FLUSH_PACKET],
    ]);

  /** Sends a request without any client of git, anonymously over HTTP, and returns what is answered. */
  async function fetch(by: string, protocol: string, body: Buffer): Promise<string> {
    if (by === 'SSH') {
      const line = `git-upload-pack '${pushed.project.fullPath}.git'`;
      const env = { GIT_PROTOCOL: protocol };
      return (await runCommand(connection, line, { input: body, env })).stdout;
    }
    const { project } = pushed;
    return sendToGit(trellis, { service: 'git-upload-pack', project, protocol }, body);
  }

  describe.each(['HTTP', 'SSH'])('over %s', (by) => {
    it('refuses a request that is too long', async () => {
      expect(await fetch(by, ...tooLong(by))).toContain(REFUSAL);
    });

    it.each(['version=0', 'version=1'])(
      'ignores capabilities that were not offered (%s)',
      async (protocol) => {
        const clone = (more: string): Promise<string> =>
          fetch(
            by,
            protocol,
            Buffer.concat([
              pktLine(`want ${pushed.head} no-progress${more}\n`),
              FLUSH_PACKET,
              pktLine('done\n'),
            ]),
          );
        const plain = await clone('');
        expect(plain).toContain('PACK');
        // Everywhere the same code reads them: one by one they are sent once.
        const isOneByOne = by === 'HTTP' && protocol === 'version=0';
        const sent = isOneByOne ? NOT_OFFERED : [NOT_OFFERED.join(' ')];
        for (const capabilities of sent) {
          expect([capabilities, await clone(` ${capabilities}`)]).toEqual([capabilities, plain]);
        }
      },
    );

    it('is refused with the name of a capability that version 2 did not offer', async () => {
      const want = [pktLine(`want ${pushed.head}\n`), pktLine('done\n')];
      for (const [head, more, reason] of REFUSED) {
        const body = [
          ...head.map((line) => pktLine(`${line}\n`)),
          Buffer.from('0001'),
          ...(more === null ? [] : [pktLine(`${more}\n`)]),
          ...want,
          FLUSH_PACKET,
        ];
        expect(await fetch(by, 'version=2', Buffer.concat(body))).toContain(`ERR ${reason}`);
      }
    });
  });

  it.each(['HTTP', 'SSH'])('may name at most 4,096 ref prefixes over %s', async (by) => {
    const answer = await fetch(by, 'version=2', lsRefs(4_096));
    expect(answer).toContain(`${pushed.head} refs/heads/master`);
    for (const prefixes of [4_097, 60_000]) {
      const refusal = await fetch(by, 'version=2', lsRefs(prefixes));
      expect(refusal).toContain(TOO_MANY_REFS);
      expect(refusal).not.toContain('refs/heads/master');
    }
  });

  it('may name hundreds of refs, and is refused with thousands', async () => {
    const refs = (count: number) => Array.from({ length: count }, () => 'refs/heads/master');
    const overHttp = `${trellis.url}/${pushed.project.fullPath}.git`;
    for (const url of [overHttp, keys.url(pushed.project)]) {
      const fetch = (count: number) => keys.git(['fetch', url, ...refs(count)], pushed.work.folder);
      expect(await fetch(600)).toMatchObject({ code: 0 });
      const { code, stderr } = await fetch(800);
      expect(code).toBe(128);
      expect(stderr).toContain(TOO_MANY_REFS.slice('ERR '.length));
    }
  });
});
