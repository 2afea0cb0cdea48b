/**
 * @needs unshare
 * @operation
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { ZERO_OID } from '../../../src/git/index.js';
import { PushRecovery } from '../../../src/modules/repository/index.js';
import { ProcessesRepository, ProcessLease } from '../../../src/platform/cluster/index.js';
import { ProcessHeartbeat } from '../../../src/platform/monitoring/index.js';
import { Client } from '../../support/client.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { ServiceProcess } from '../../support/service-process.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

const LEASE = { PROCESS_LEASE_SECONDS: '6' };
const ELSEWHERE = '00000000-0000-4000-8000-00000000e15e';

describe('A push that is interrupted on another machine', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'end of a process', env: LEASE });
    await trellis.app.get(ProcessHeartbeat).start('api');
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await trellis.app.get(ProcessHeartbeat).stop();
    await pushed.remove();
    await trellis.stop();
  });

  async function makeProject(): Promise<PushedProject & { refs: PushedRefs; lock: string }> {
    const made = await pushed.make();
    const refs = new PushedRefs(trellis, made.project);
    return { ...made, refs, lock: path.join(refs.folder, 'refs/heads/held.lock') };
  }

  const pushVia = ({ work }: PushedProject, url: string, refspec: string) => {
    const remote = new URL(work.remote);
    [remote.protocol, remote.host] = [new URL(url).protocol, new URL(url).host];
    return work.try('push', remote.href, refspec);
  };

  describe('by its service', () => {
    let service: ServiceProcess;
    let url: string;
    let pid: number;
    let programs: string;

    /**
     * Writes a `git` that waits a minute for the lock of a ref instead of five seconds, and returns a PATH with it. On a
     * busy machine five seconds can pass before a test removes the lock file.
     */
    const pathWithPatientGit = async (): Promise<string> => {
      const search = process.env['PATH'] ?? '';
      const patience = '-c core.filesRefLockTimeout=60000';
      const script = `#!/bin/sh\nPATH='${search}' exec git ${patience} "$@"\n`;
      await writeFile(path.join(programs, 'git'), script, { mode: 0o755 });
      return `${programs}:${search}`;
    };

    beforeAll(async () => {
      programs = await mkdtemp(path.join(tmpdir(), 'trellis-programs-'));
      const env = { ...trellis.sharedEnvironment, ...LEASE, PATH: await pathWithPatientGit() };
      service = ServiceProcess.startElsewhere('api', env);
      url = await service.url();
      pid = service.pidElsewhere;
      // From then on, pushes are guarded.
      await until(() => Promise.resolve(trellis.app.get(ProcessLease).hasPeers));
    });
    afterAll(async () => {
      await service.kill('SIGKILL');
      await rm(programs, { recursive: true });
    });

    it('moves no ref when the stopped process continues, and fails', async () => {
      const [byGit, byApi] = [await makeProject(), await makeProject()];
      for (const { lock } of [byGit, byApi]) await writeFile(lock, '');
      await byGit.work.commit('Late');
      const latePush = pushVia(byGit, url, 'HEAD:refs/heads/held');
      const createBranch = (client: Client) =>
        client
          .post(`/projects/${String(byApi.project.id)}/repository/branches`, {
            branch_name: 'held',
            ref: 'master',
          })
          .then(({ status }) => status);
      await until(async () => (await byGit.refs.intents()).length === 1);
      const lateBranch = createBranch(new Client(url, owner.token));
      await until(async () => (await byApi.refs.intents()).length === 1);
      // The process lets git begin once the database has recorded the intent; it has done so when it answers this.
      const { status } = await new Client(url, owner.token).get(
        `/projects/${String(byApi.project.id)}`,
      );
      expect(status).toBe(200);
      process.kill(pid, 'SIGSTOP');
      // Both locks are now taken by git, which asks the stopped process whether it may go on.
      for (const { lock } of [byGit, byApi]) await rm(lock);
      for (const { lock } of [byGit, byApi]) await until(() => Promise.resolve(existsSync(lock)));

      const head = await byGit.work.commit('In time');
      expect(await byGit.work.push('HEAD:refs/heads/held')).toMatchObject({ code: 0 });
      expect(await createBranch(trellis.as(owner))).toBe(200);
      process.kill(pid, 'SIGCONT');

      expect((await latePush).code).not.toBe(0);
      expect(await lateBranch).toBe(503);
      expect(await byGit.refs.target('refs/heads/held')).toBe(head);
      const seen = (await byGit.refs.events()).filter(({ ref }) => ref === 'refs/heads/held');
      expect(seen.map(({ after }) => after)).toEqual([head]);
      for (const { refs } of [byGit, byApi]) await refs.expectSound();
      // It begins its next epoch, in which it pushes again.
      const again = () => pushVia(byGit, url, 'HEAD:refs/heads/again');
      await until(async () => (await again()).code === 0);
    });

    it('is recovered after the machine has died; the next push waits and shows why', async () => {
      const made = await makeProject();
      const { refs, lock, work } = made;
      const head = await work.commit('Held up');
      // git waits for the lock.
      await writeFile(lock, '');
      const interrupted = pushVia(made, url, 'HEAD:refs/heads/held');
      await until(() => refs.hasLeftQuarantine(head));
      expect(await refs.intents()).toHaveLength(1);
      process.kill(pid, 'SIGKILL');
      await service.ended;
      // So that the next push comes while it counts as alive.
      await trellis.rows(
        `UPDATE processes SET renewed_at = renewed_at + interval '1 s' WHERE host = 'elsewhere'`,
      );
      expect((await interrupted).code).not.toBe(0);

      const { code, stderr } = await work.push('HEAD:refs/heads/next');
      expect(stderr).toContain(
        'remote: Waiting until an interrupted push to this project is settled',
      );
      expect(code).toBe(0);
      expect(await refs.target('refs/heads/held')).toBeNull();
      await refs.expectSound();
    });
  });

  /** What a push leaves whose machine cannot be reached. */
  async function interruptElsewhere(
    { project, head }: PushedProject,
    { isGuarded = true, host = 'elsewhere' }: { isGuarded?: boolean; host?: string } = {},
  ): Promise<void> {
    const updates = [{ ref: 'refs/heads/other', oldOid: ZERO_OID, newOid: head }];
    await trellis.rows(
      `INSERT INTO push_intents (project_id, user_id, updates, host, pid, machine, process_id, epoch,
                                 is_guarded)
       VALUES ($1, $2, $3, $4, 1, 'another', $5, 1, $6)`,
      [project.id, owner.user.id, JSON.stringify(updates), host, ELSEWHERE, isGuarded],
    );
  }

  describe('whose lease', () => {
    const live = () =>
      trellis.rows(
        `INSERT INTO processes (id, role, version, host, pid, started_at, memory_bytes,
                                event_loop_delay_ms, connections_used, connections_waiting,
                                connections_limit, machine, epoch, lease_ms)
         VALUES ($1, 'api', '0', 'elsewhere', 1, now(), 1, 0, 0, 0, 10, 'another', 1, 3600000)`,
        [ELSEWHERE],
      );
    const recoverAll = () => trellis.app.get(PushRecovery).recoverAll();
    afterEach(() => trellis.rows('DELETE FROM processes WHERE id = $1', [ELSEWHERE]));

    it('is valid blocks other pushes, with a reason that git prints', async () => {
      const made = await makeProject();
      await live();
      // A container may have the same host name; its process IDs are others.
      await interruptElsewhere(made, { host: hostname() });
      await recoverAll();
      const recovery = trellis.app.get(PushRecovery);
      const { maxWaitMs } = recovery;
      expect(maxWaitMs).toBe(2 * trellis.app.get(ProcessLease).durationMs);
      Object.assign(recovery, { maxWaitMs: 600 });
      const url = `/projects/${String(made.project.id)}/repository/branches`;
      const branch = { branch_name: 'third', ref: 'master' };
      const [push, call] = await Promise.all([
        made.work.push('HEAD:refs/heads/third'),
        trellis.as(owner).post(url, branch),
      ]).finally(() => Object.assign(recovery, { maxWaitMs }));
      expect(push.stderr).toContain('remote: Waiting until an interrupted push');
      expect(push.stderr).toMatch(/! \[remote rejected\] .*A push to this project was interrupted/);
      expect(push.stderr).not.toContain('RPC failed');
      expect(call.status).toBe(503);
      expect(call.headers['retry-after']).toBe('10');
      expect(await made.refs.intents()).toHaveLength(1);
    });

    it('is valid, but without the lock, blocks other pushes for two minutes', async () => {
      await live();
      for (const isGuarded of [true, false]) {
        const made = await makeProject();
        await interruptElsewhere(made, { isGuarded });
        await trellis.rows(
          `UPDATE push_intents SET created_at = now() - interval '121 s' WHERE project_id = $1`,
          [made.project.id],
        );
        await recoverAll();
        expect(await made.refs.intents()).toEqual([]);
      }
    });

    /**
     * Does some work while this process does not renew its lease, and waits until it has the next one.
     * @param work is given what raises the epoch, as others do that take over
     */
    async function withoutRenewal(
      work: (processes: ProcessesRepository, raiseEpoch: () => Promise<unknown>) => Promise<void>,
    ): Promise<void> {
      const lease = trellis.app.get(ProcessLease);
      await live();
      await until(() => Promise.resolve(lease.hasPeers));
      const processes = trellis.app.get(ProcessesRepository);
      const renew = jest.spyOn(processes, 'renew').mockRejectedValue(new Error('cut off'));
      try {
        await work(processes, () =>
          trellis.rows('UPDATE processes SET epoch = epoch + 1 WHERE id = $1', [lease.identity.id]),
        );
      } finally {
        renew.mockRestore();
      }
      await until(async () => lease.owner !== null && !(await lease.isOver(lease.owner)));
    }

    it('is lost creates no event, and moves no ref that git has locked', async () => {
      const { lock, refs, work } = await makeProject();
      await withoutRenewal(async (_, raiseEpoch) => {
        await writeFile(lock, '');
        const late = work.push('HEAD:refs/heads/held');
        await until(async () => (await refs.intents()).length === 1);
        await raiseEpoch();
        await rm(lock);
        expect((await late).code).not.toBe(0);
        const next = await work.push('HEAD:refs/heads/next');
        expect(next.stderr).toMatch(
          /! \[remote rejected\] .*The service is unavailable at the moment/,
        );
        expect([...(await refs.targets()).keys()]).toEqual(['refs/heads/master']);
        await refs.expectSound();
      });
    });

    it('is lost during git returns 503 through the API', async () => {
      const { lock, project, refs } = await makeProject();
      await withoutRenewal(async (processes, raiseEpoch) => {
        const isInEpoch = processes.isInEpoch.bind(processes);
        jest.spyOn(processes, 'isInEpoch').mockImplementationOnce(async (asker) => {
          const isConfirmed = await isInEpoch(asker);
          await raiseEpoch();
          await rm(lock);
          return isConfirmed;
        });
        const branches = `/projects/${String(project.id)}/repository/branches`;
        const branch = { branch_name: 'held', ref: 'master' };
        await trellis.as(owner).post(branches, branch).expect(503);
        expect([...(await refs.targets()).keys()]).toEqual(['refs/heads/master']);
      }).finally(() => jest.restoreAllMocks());
      await until(async () => (await refs.intents()).length === 0);
      await refs.expectSound();
    });

    it('has expired is recovered at once, unless unguarded git may run elsewhere', async () => {
      const kinds = [
        { isGuarded: true },
        { isGuarded: false, host: hostname() },
        { isGuarded: false },
      ];
      const left: number[] = [];
      for (const kind of kinds) {
        const made = await makeProject();
        await interruptElsewhere(made, kind);
        await recoverAll();
        left.push((await made.refs.intents()).length);
      }
      expect(left).toEqual([0, 0, 1]);
    });
  });
});
