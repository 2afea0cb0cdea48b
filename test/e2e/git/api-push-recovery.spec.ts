/** @campaign recovery */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { PushRecovery } from '../../../src/modules/repository/index.js';
import { Client } from '../../support/client.js';
import type { Person } from '../../support/factories.js';
import { lengthOf } from '../../support/lengths.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { ServiceProcess } from '../../support/service-process.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(240_000);

const ROUNDS = lengthOf({ brief: 2, campaign: 8 });
const BRANCHES = ['master', 'one', 'two'];

interface Made {
  id: string;
}

describe('a service killed during writes through the API', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'end of a process' });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await pushed.remove();
    await trellis.stop();
  });

  function commit(client: Client, id: number, branch_name: string, file: string) {
    return client.post(`/projects/${String(id)}/repository/commits`, {
      branch_name,
      commit_message: file,
      actions: [{ action: 'create', file_path: file, content: file }],
    });
  }

  /** Commits to all branches at once until the service is gone, and keeps what was acknowledged. */
  async function writeUntilGone(
    client: Client,
    id: number,
    round: number,
    acknowledged: string[],
  ): Promise<void> {
    const write = async (branch: string): Promise<void> => {
      for (let made = 0; ; made += 1) {
        const file = `${String(round)}-${branch}-${String(made)}`;
        const answer = await commit(client, id, branch, file).catch(() => null);
        if (answer?.status !== 200) return;
        acknowledged.push((answer.body as Made).id);
      }
    };
    await Promise.all([...BRANCHES, ...BRANCHES.slice(0, 1)].map((branch) => write(branch)));
  }

  it('loses no acknowledged write and records an event for every commit', async () => {
    const { project } = await pushed.make();
    const refs = new PushedRefs(trellis, project);
    const acknowledged: string[] = [];
    for (const branch_name of BRANCHES.filter((name) => name !== 'master')) {
      const url = `/projects/${String(project.id)}/repository/branches`;
      await trellis.as(owner).post(url, { branch_name, ref: 'master' }).expect(200);
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      const service = ServiceProcess.start('api', {
        ...trellis.sharedEnvironment,
        LOG_LEVEL: 'info',
      });
      const client = new Client(await service.url(), owner.token);
      const before = acknowledged.length;
      const writing = writeUntilGone(client, project.id, round, acknowledged);
      // Amid a write, after some that were acknowledged.
      await until(
        async () => acknowledged.length > before + round && (await refs.intents()).length > 0,
      );
      await service.kill('SIGKILL');
      await writing;
      await trellis.app.get(PushRecovery).recover(project.id);
      expect(await refs.intents()).toEqual([]);
      await expectTold(refs);
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS);
    const reachable = (await refs.git('rev-list', '--all')).split('\n');
    for (const oid of acknowledged) expect(reachable).toContain(oid);
    for (const branch of BRANCHES) {
      await commit(trellis.as(owner), project.id, branch, `after-${branch}`).expect(200);
    }
    expect(await refs.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  /** Each branch has come to where it is by the pushes that are told, one upon the other. */
  async function expectTold(refs: PushedRefs): Promise<void> {
    const events = await refs.events();
    for (const ref of await refs.all()) {
      const own = events.filter((event) => event.ref === ref);
      expect(own.at(-1)?.after).toBe(await refs.target(ref));
      own.slice(1).forEach(({ before }, index) => expect(before).toBe(own[index]?.after));
    }
  }

  it('terminates an orphaned git process before its push is recovered', async () => {
    const { project, head } = await pushed.make();
    const refs = new PushedRefs(trellis, project);
    const args = [`--git-dir=${refs.folder}`, 'update-ref', '--no-deref', '--stdin', '-z'];
    const orphan = spawn('git', args, { stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = once(orphan, 'exit');
    const ref = 'refs/heads/topic';
    const update = { ref, oldOid: '0'.repeat(40), newOid: head };
    orphan.stdin.write(`start\0update ${ref}\0${head}\0${update.oldOid}\0prepare\0`);
    await trellis.rows(
      `INSERT INTO push_intents (project_id, user_id, updates, host, pid)
       VALUES ($1, $2, $3, $4, $5)`,
      [project.id, owner.user.id, JSON.stringify([update]), hostname(), orphan.pid],
    );
    await trellis.app.get(PushRecovery).recover(project.id);
    await ended;
    expect(await refs.target(ref)).toBeNull();
    expect((await refs.events()).filter((event) => event.ref === ref)).toEqual([]);
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/repository/branches`, {
        branch_name: 'topic',
        ref: 'master',
      })
      .expect(200);
    await refs.expectSound();
  });
});
