import { CompleteEventJob } from '../../../src/modules/hooks/deliveries/complete-event.job.js';
import { PayloadCommits } from '../../../src/modules/hooks/payloads/payload-commits.js';
import { transactionContext } from '../../../src/platform/database/unit-of-work.js';
import { ALL_EVENTS, QueueingHook } from '../../support/hooks.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { pathOf } from '../../support/merge-requests.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface CompleteJob {
  id: string;
  payload: { eventId: string; projectId: number };
}

describe('Payloads with commits', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let request: RequestBody;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
  });
  afterAll(() => merging.end());
  afterEach(() => jest.restoreAllMocks());
  beforeEach(async () => {
    place = await merging.place();
    request = await place.propose({ message: 'The newest commit' });
  });

  const note = () =>
    trellis
      .as(place.owner)
      .post(`${pathOf(request)}/notes`, { body: 'Noted' })
      .expect(200);

  const jobsOf = (name: string, eventId?: string) =>
    trellis.rows<CompleteJob>(
      `SELECT o.id, o.payload FROM outbox o
        WHERE o.name = $1 AND ($1 <> 'complete-event' OR (o.payload->>'projectId')::int = $2)
          AND ($3::bigint IS NULL OR (o.payload->>'deliveryId')::bigint IN (
                SELECT id FROM hook_deliveries WHERE event_id = $3))`,
      [name, place.project.id, eventId ?? null],
    );

  const run = (payload: CompleteJob['payload'], attempt = 1) =>
    trellis.app
      .get(CompleteEventJob)
      .handle(payload, { jobId: '1', attempt, signal: new AbortController().signal });

  const storedBody = async (eventId: string) => {
    const [row] = await trellis.rows<{ body: string | null }>(
      'SELECT body FROM hook_events WHERE id = $1',
      [eventId],
    );
    return row?.body ?? null;
  };

  it.each<[string, () => Promise<unknown>]>([
    ['a note on a merge request', note],
    ['an update of a merge request', () => place.update(request, { title: 'New' }).expect(200)],
    ['a status of a commit', () => place.post(request, 'success').expect(200)],
  ])('do not have %s wait for git', async (_, write) => {
    const hook = await QueueingHook.ofProject(trellis, place.owner, place.project, ALL_EVENTS);
    // Spied on here, since git is not asked again for a commit that it has read before.
    const commits = trellis.app.get(PayloadCommits);
    const isInTransaction: boolean[] = [];
    const readCommit = commits.find.bind(commits);
    jest.spyOn(commits, 'find').mockImplementation((...commit) => {
      isInTransaction.push(transactionContext.getStore() !== undefined);
      return readCommit(...commit);
    });
    await write();
    const [event] = await hook.queuedEvents();
    expect(new Set(isInTransaction)).toEqual(new Set([false]));
    expect(JSON.stringify(event?.body)).toContain('The newest commit');
  });

  it('are completed by a job, which has them delivered once', async () => {
    await QueueingHook.ofProject(trellis, place.owner, place.project, { note_events: true });
    await note();
    const [job] = await jobsOf('complete-event');
    const { payload } = job as CompleteJob;
    expect(await storedBody(payload.eventId)).toBeNull();
    expect(await jobsOf('deliver', payload.eventId)).toEqual([]);
    await run(payload);
    await run(payload);
    expect(JSON.parse((await storedBody(payload.eventId)) ?? '')).toMatchObject({
      merge_request: { last_commit: { id: request.sha, message: 'The newest commit' } },
    });
    expect(await jobsOf('complete-event')).toEqual([]);
    expect(await jobsOf('deliver', payload.eventId)).toHaveLength(1);
  });

  it('are delivered without the commit when it cannot be read for minutes', async () => {
    await QueueingHook.ofProject(trellis, place.owner, place.project, { note_events: true });
    await note();
    const [job] = await jobsOf('complete-event');
    const { payload } = job as CompleteJob;
    await run(payload, 8);
    expect(JSON.parse((await storedBody(payload.eventId)) ?? '')).toMatchObject({
      merge_request: { last_commit: null },
    });
    expect(await jobsOf('deliver', payload.eventId)).toHaveLength(1);
  });
});
