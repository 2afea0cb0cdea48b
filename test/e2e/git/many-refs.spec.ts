/** @operation */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { FLUSH_PACKET, pktLine, ZERO_OID } from '../../../src/git/index.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { sendPush } from '../../support/raw-push.js';
import { ServiceProcess } from '../../support/service-process.js';
import { Trellis } from '../../support/trellis.js';
import { packOf } from '../../unit/git/support/raw-push.js';

jest.setTimeout(120_000);

const METRICS_TOKEN = 'token-of-the-metrics';
/** The longest turn of the event loop, ten times that of a machine at rest, and the most memory that a push adds. */
const LONGEST_TURN_MS = 1_000;
const MOST_MEMORY_KIB = 250 * 1024;

describe('A push of very many refs', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;
  let pack: Buffer;
  let service: ServiceProcess;
  let url: string;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'another process' });
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make();
    pack = await packOf(pushed.work.folder, pushed.head);
    // A process of its own, whose event loop does nothing for the tests.
    service = ServiceProcess.start('api', { ...trellis.sharedEnvironment, METRICS_TOKEN });
    url = await service.url();
  });
  afterAll(async () => {
    await service.kill('SIGTERM');
    await projects.remove();
    await trellis.stop();
  });

  /** Creates refs with what one connection sends. */
  async function push(names: readonly string[]): Promise<string> {
    const lines = names.map((name, at) => {
      const capabilities = at === 0 ? '\0report-status' : '';
      return pktLine(`${ZERO_OID} ${pushed.head} ${name}${capabilities}\n`);
    });
    const body = Buffer.concat([...lines, FLUSH_PACKET, pack]);
    return sendPush({ url }, { project: pushed.project, person: owner }, body);
  }

  const namesOf = (count: number, name: (at: number) => string): string[] =>
    Array.from({ length: count }, (_, at) => name(at));

  /** The longest turn of the event loop since the last call; milliseconds. */
  async function longestTurn(): Promise<number> {
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    const text = await (await fetch(`${url}/metrics`, { headers })).text();
    const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
    return Number(seconds) * 1000;
  }

  /** The most memory that the process has had; KiB. */
  function peakMemory(): number {
    const status = readFileSync(`/proc/${String(service.pid)}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]);
  }

  /** Does work beside another client, which asks over new connections, and checks that the answers come. */
  async function whileOthersAsk<T>(work: Promise<T>): Promise<T> {
    let answers = 0;
    const progress = { isOver: false };
    const watched = work.finally(() => (progress.isOver = true));
    while (!progress.isOver) {
      const [response] = (await once(get(`${url}/healthz`, { agent: false }), 'response')) as [
        IncomingMessage,
      ];
      await once(response.resume(), 'end');
      answers += 1;
    }
    expect(answers).toBeGreaterThan(10);
    return watched;
  }

  /** Pushes, and checks the longest turn and the memory that it takes. */
  async function pushWithinBounds(
    names: readonly string[],
    during: (work: Promise<string>) => Promise<string> = whileOthersAsk,
  ): Promise<string> {
    await longestTurn();
    const before = peakMemory();
    const answer = await during(push(names));
    expect(await longestTurn()).toBeLessThan(LONGEST_TURN_MS);
    expect(peakMemory() - before).toBeLessThan(MOST_MEMORY_KIB);
    return answer;
  }

  it('reports 200,000 reserved ones one by one without blocking other requests', async () => {
    const kinds = ['pull', 'merge-requests'];
    const reserved = namesOf(200_000, (at) => `refs/${kinds[at % 2] ?? ''}/${String(at)}/head`);
    const answer = await pushWithinBounds([...reserved, 'refs/heads/beside']);
    expect(answer.split('This ref is reserved.')).toHaveLength(200_001);
    expect(answer).toContain('ok refs/heads/beside');
  });

  it('is checked against 1,000 rules without blocking other requests', async () => {
    await trellis.rows(
      `INSERT INTO protected_branches (project_id, name)
       SELECT $1::int, unnest(ARRAY['exact/' || n, 'release/' || n || '-*-stable'])
         FROM generate_series(1, 500) AS n`,
      [pushed.project.id],
    );
    const branches = namesOf(1_000, (at) => `refs/heads/release/${String(at)}-x-stable`);
    const answer = await pushWithinBounds(branches);
    expect(answer.split('ok refs/heads/release/')).toHaveLength(1_001);
  });

  it('may change at most 10,000, and shows the number', async () => {
    const more = namesOf(10_001, (at) => `refs/heads/more/${String(at)}`);
    // Refused too soon for ten answers to others.
    const answer = await pushWithinBounds(more, (work) => work);
    expect(answer).toContain(
      'The push changes 10,001 refs; one push changes at most 10,000. Push them in parts.',
    );
  });
});
