/** @campaign crowds */
import { Client } from '../../support/client.js';
import { lengthOf } from '../../support/lengths.js';
import { pathOf } from '../../support/merge-requests.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { ownQueues } from '../../support/own-queues.js';
import { ServiceProcess } from '../../support/service-process.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(600_000);

const REQUESTS = lengthOf({ brief: 12, campaign: 100 });
const AT_ONCE = 10;

describe('a crowd of merge requests that wait for their builds', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  const workers: ServiceProcess[] = [];

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'another process' });
    merging = await Merging.begin(trellis);
    place = await merging.place();
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill('SIGKILL')));
    await merging.end();
    await trellis.stop();
  });

  async function startWorker(queues: Record<string, string>): Promise<ServiceProcess> {
    const worker = ServiceProcess.start('worker', {
      ...trellis.sharedEnvironment,
      LOG_LEVEL: 'warn',
      ...queues,
    });
    workers.push(worker);
    return worker;
  }

  async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    for (let at = 0; at < items.length; at += AT_ONCE) {
      await Promise.all(items.slice(at, at + AT_ONCE).map(work));
    }
  }

  const countMerged = async (): Promise<number> => {
    const [row] = await trellis.rows<{ merged: number }>(
      `SELECT count(*)::int AS merged FROM merge_requests WHERE project_id = $1 AND state = 'merged'`,
      [place.project.id],
    );
    return row?.merged ?? 0;
  };

  it('is merged by two workers, each once, although one is killed during the work', async () => {
    const requests: RequestBody[] = [];
    await inTurns(Array.from({ length: REQUESTS }), async () => {
      const request = await place.propose();
      await place.wait(request, { should_remove_source_branch: true });
      requests.push(request);
    });
    const queues = await ownQueues();
    const [doomed] = [await startWorker(queues), await startWorker(queues)];
    const client = new Client(trellis.url, place.owner.token);
    const posted = inTurns(requests, async ({ sha, source_branch: ref }) => {
      const path = `/projects/${String(place.project.id)}/statuses/${sha}`;
      for (const name of ['build', 'test']) {
        await client.post(path, { state: 'success', name, ref }).expect(200);
      }
    });
    await until(async () => (await countMerged()) >= REQUESTS / 3);
    await doomed.kill('SIGKILL');
    await posted;
    await until(async () => (await countMerged()) === REQUESTS);

    const lines = (await place.refs.git('log', '--merges', '--format=%H %P', 'master')).split('\n');
    expect(lines).toHaveLength(REQUESTS);
    for (const request of requests) {
      const own = lines.filter((line) => line.endsWith(` ${request.sha}`));
      expect(own).toHaveLength(1);
      const { body } = await client.get(pathOf(request)).expect(200);
      expect(body).toMatchObject({
        state: 'merged',
        merge_when_build_succeeds: false,
        merge_commit_sha: own[0]?.slice(0, 40),
      });
      expect((await place.notes(request)).filter((text) => text === 'merged')).toHaveLength(1);
      const told = (await place.events(request)).filter(({ action }) => action === 'accepted');
      expect(told).toHaveLength(1);
    }
    await until(async () => {
      const rest = await trellis.rows('SELECT 1 FROM merge_attempts LIMIT 1');
      return rest.length === 0;
    });
    expect(await place.refs.git('for-each-ref', '--format=%(refname)', 'refs/heads/')).toBe(
      'refs/heads/master',
    );
    expect(await place.refs.git('fsck', '--strict', '--no-dangling')).toBe('');
  });
});
