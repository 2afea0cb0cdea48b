import type { Person } from '../../support/factories.js';
import { ownQueues } from '../../support/own-queues.js';
import { ServiceProcess } from '../../support/service-process.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

interface Line {
  level: string | number;
  msg: string;
  job?: string;
  reason?: string;
}

describe('The log of jobs', () => {
  let trellis: Trellis;
  let owner: Person;
  let worker: ServiceProcess | undefined;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    owner = await trellis.factories.user({ projectsLimit: 10 });
  });
  afterAll(async () => {
    await worker?.kill('SIGKILL');
    await trellis.stop();
  });

  it('does not log a job that asks for a later retry as failed', async () => {
    const group = await trellis.factories.group(owner);
    await trellis.factories.project(owner, { namespaceId: group.id });
    await trellis
      .as(owner)
      .delete(`/groups/${String(group.id)}`)
      .expect(200);
    // The project stays, so that the group's row has to wait for it.
    await trellis.rows(`DELETE FROM outbox WHERE name <> 'remove-namespace'`);
    const jobs = await trellis.rows<{ name: string }>('SELECT name FROM outbox');
    expect(jobs).toEqual([{ name: 'remove-namespace' }]);
    worker = ServiceProcess.start('worker', {
      ...trellis.sharedEnvironment,
      ...(await ownQueues()),
    });
    await worker.says(/The namespace still holds projects.*\n/);
    // What else it logs of the job is written by then.
    await worker.kill('SIGTERM');
    const lines = worker.output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
    const ofJob = lines.filter(({ job }) => job === 'remove-namespace');
    expect(ofJob[0]).toMatchObject({
      msg: 'A job runs again later',
      reason: 'The namespace still holds projects',
      nextMs: 1_000,
    });
    expect(ofJob[0]).not.toHaveProperty('err');
    expect(lines.filter(({ msg }) => /fail/i.test(msg))).toEqual([]);
  });
});
