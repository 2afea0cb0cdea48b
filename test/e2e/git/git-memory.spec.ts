import type { ClientChannel } from 'ssh2';
import { FLUSH_PACKET, pktLine, ZERO_OID } from '../../../src/git/index.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { beginCommand, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

/** Less than any process of git has. */
const LITTLE = 4 * 1024;

describe('A git process over its memory limit', () => {
  let usual: Trellis;
  let trellis: Trellis;
  let owner: Person;
  let keys: SshPerson;
  let projects: PushedProjects;
  let pushed: PushedProject;

  beforeAll(async () => {
    usual = await Trellis.shared();
    owner = await usual.factories.user();
    projects = new PushedProjects(usual, owner);
    pushed = await projects.make();
    const gitLimits = { pushMemoryBytes: LITTLE };
    trellis = await Trellis.start({
      because: 'git limits',
      beside: usual,
      servesSsh: true,
      gitLimits,
    });
    keys = await SshPerson.create(trellis, owner);
  });
  afterAll(async () => {
    await keys.remove();
    await trellis.stop();
    await projects.remove();
  });

  async function readAll(channel: ClientChannel): Promise<string> {
    let text = '';
    for await (const chunk of channel as AsyncIterable<Buffer>) text += chunk.toString('latin1');
    return text;
  }

  /** Begins a conversation in which git waits for more from its client, and reads what it answers. */
  async function converse(service: string, ...said: (Buffer | string)[]): Promise<string> {
    const client = await keys.connect();
    try {
      const channel = await beginCommand(client, `${service} '${pushed.project.fullPath}.git'`);
      for (const part of said) channel.write(part);
      return await readAll(channel);
    } finally {
      client.end();
    }
  }

  const refused = async (budget: string): Promise<number> => {
    const admin = await usual.factories.admin();
    const headers = { 'PRIVATE-TOKEN': admin.token };
    const text = await (await fetch(`${trellis.url}/metrics`, { headers })).text();
    const name = `trellis_budget_exceeded_total{budget="${budget}"} `;
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.slice(name.length) ?? 0,
    );
  };

  it('is stopped in a fetch, with the reason', async () => {
    const before = await refused('fetch_memory');
    const answer = await converse(
      'git-upload-pack',
      pktLine(`want ${pushed.head}\n`),
      FLUSH_PACKET,
    );
    expect(answer).toMatch(/ERR The request takes too much memory\.\n$/);
    expect(await refused('fetch_memory')).toBe(before + 1);
  });

  it('is stopped in a push, with the reason for each ref', async () => {
    const before = await refused('push_memory');
    const command = `${ZERO_OID} ${pushed.head} refs/heads/large\0report-status\n`;
    const answer = await converse('git-receive-pack', pktLine(command), FLUSH_PACKET, 'PACK');
    expect(answer).toContain('The objects of the push take too much memory');
    expect(await pushed.work.git('ls-remote', pushed.work.remote)).not.toContain('large');
    expect(await refused('push_memory')).toBe(before + 1);
  });
});
