/** @campaign recovery */
import { MergesService } from '../../../src/modules/merge-requests/merges/merges.service.js';
import { PushRecovery } from '../../../src/modules/repository/index.js';
import { Client } from '../../support/client.js';
import { lengthOf } from '../../support/lengths.js';
import { pathOf } from '../../support/merge-requests.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { ServiceProcess } from '../../support/service-process.js';
import { killWhenItWritesTo, whileLocked } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(240_000);

/** Tables that an accept writes to before the branch moves, and with the record of the move. */
const AHEAD_OF_THE_MOVE = ['merge_attempts', 'push_intents'];
const IN_THE_RECORD = ['notes', 'events'];
const STEPS = lengthOf({
  brief: ['push_intents', 'events'],
  campaign: [...AHEAD_OF_THE_MOVE, ...IN_THE_RECORD],
});

describe('a service killed during acceptance', () => {
  let trellis: Trellis;
  let merging: Merging;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'end of a process' });
    merging = await Merging.begin(trellis);
  });
  afterAll(async () => {
    await merging.end();
    await trellis.stop();
  });

  function startService(): ServiceProcess {
    return ServiceProcess.start('api', {
      ...trellis.sharedEnvironment,
      LOG_LEVEL: 'info',
    });
  }

  /** A request is merged exactly if the branch has its head, by one merge commit, and is told of once. */
  async function expectWhole(place: MergePlace, requests: readonly RequestBody[]): Promise<void> {
    const lines = (await place.refs.git('log', '--merges', '--format=%H %P', 'master')).split('\n');
    for (const request of requests) {
      const commits = lines.filter((line) => line.endsWith(` ${request.sha}`));
      const { state, merge_commit_sha: commit } = await place.read(request);
      const isMerged = state === 'merged';
      expect([commits.length, commit]).toEqual(
        isMerged ? [1, commits[0]?.slice(0, 40)] : [0, null],
      );
      const notes = (await place.notes(request)).filter((text) => text === 'merged');
      expect(notes).toHaveLength(isMerged ? 1 : 0);
      const told = (await place.events(request)).filter(({ action }) => action === 'accepted');
      expect(told).toHaveLength(isMerged ? 1 : 0);
    }
  }

  it.each(STEPS)('finishes or undoes a write to %s after a restart', async (table) => {
    const place = await merging.place();
    const [before, amid, after] = [
      await place.propose(),
      await place.propose(),
      await place.propose(),
    ];
    const service = startService();
    const client = new Client(await service.url(), place.owner.token);
    const accept = (request: RequestBody) =>
      client.put(`${pathOf(request)}/merge`, { should_remove_source_branch: true });
    await accept(before).expect(200);
    const answered = await whileLocked(trellis, table, async () => {
      const answer = accept(amid).then(
        ({ status }) => status,
        () => null,
      );
      await killWhenItWritesTo(trellis, table, service);
      return answer;
    });
    expect(answered).toBeNull();
    expect((await place.read(amid)).state).toBe('opened');
    const log = await place.refs.git('log', '--format=%H', 'master');
    const hasMoved = log.includes(amid.sha);
    expect([table, hasMoved]).toEqual([table, IN_THE_RECORD.includes(table)]);
    expect(await place.refs.intents()).toHaveLength(hasMoved ? 1 : 0);

    await trellis.app.get(PushRecovery).recover(place.project.id);
    expect(await place.refs.intents()).toEqual([]);
    expect((await place.read(amid)).state).toBe(hasMoved ? 'merged' : 'opened');
    expect((await place.read(before)).state).toBe('merged');
    await expectWhole(place, [before, amid, after]);
    expect((await place.accept(amid)).status).toBe(hasMoved ? 406 : 200);
    await place.accept(after).expect(200);
    await expectWhole(place, [before, amid, after]);
    expect(await place.refs.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it.each([
    ['ff', 'never'],
    ['ff', 'always'],
    ['rebase_merge', 'always'],
  ])('records a merge by method %s with squash option %s after a restart', async (...settings) => {
    const [method] = settings;
    const place = await merging.place();
    await trellis.rows('UPDATE projects SET merge_method = $1, squash_option = $2 WHERE id = $3', [
      ...settings,
      place.project.id,
    ]);
    const request = await place.propose();
    const service = startService();
    const client = new Client(await service.url(), place.owner.token);
    await whileLocked(trellis, 'events', async () => {
      const answer = client.put(`${pathOf(request)}/merge`, { should_remove_source_branch: true });
      const ended = answer.then(
        () => undefined,
        () => undefined,
      );
      await killWhenItWritesTo(trellis, 'events', service);
      await ended;
    });
    const moved = await place.master();
    expect(moved).not.toBe(place.head);
    expect((await place.read(request)).state).toBe('opened');
    await trellis.app.get(PushRecovery).recover(place.project.id);
    const row = await place.row(request);
    const isSquashed = settings[1] === 'always';
    expect(row).toMatchObject({
      state: 'merged',
      merge_commit_sha: method === 'ff' ? null : moved,
      merge_user_id: place.owner.user.id,
      squash_commit_sha: isSquashed
        ? await place.refs.git('rev-parse', method === 'ff' ? 'master' : 'master^2')
        : null,
    });
    expect(row['squash_commit_sha'] === request.sha).toBe(false);
    if (!isSquashed) expect(moved).toBe(request.sha);
    expect(await place.notes(request)).toEqual(['merged']);
    await trellis.app.get(MergesService).handle({ mergeRequestId: request.id });
    expect(await place.refs.target(`refs/heads/${request.source_branch}`)).toBeNull();
    expect(await place.refs.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('takes a push of the head by another user for theirs, not for an interrupted fast-forward', async () => {
    const place = await merging.place();
    const request = await place.propose();
    const { sha, id } = request;
    const result = {
      ...{ commitSha: sha, targetSha: place.head, mergeCommitSha: null, squashCommitSha: null },
      squash: false,
    };
    await trellis.rows(
      `INSERT INTO merge_attempts (merge_request_id, commit_sha, user_id, should_remove_source_branch, result)
       VALUES ($1, $2, $3, true, $4)`,
      [id, sha, place.owner.user.id, JSON.stringify(result)],
    );
    const other = await memberOf(trellis, place.project, 40);
    const clone = await merging.checkout(place.project, other);
    await clone.git('fetch', clone.remote, request.source_branch);
    await clone.git('push', clone.remote, 'FETCH_HEAD:refs/heads/master');
    expect(await place.row(request)).toMatchObject({
      state: 'merged',
      merge_user_id: other.user.id,
      merge_commit_sha: null,
    });
    await trellis.app.get(MergesService).handle({ mergeRequestId: id });
    expect(await place.refs.target(`refs/heads/${request.source_branch}`)).toBe(sha);
  });

  /** Leaves behind what a service does that dies between the move of the branch and its record. */
  async function dieAmidMerge(place: MergePlace, request: RequestBody): Promise<string> {
    const tree = await place.refs.git('rev-parse', `${request.sha}^{tree}`);
    const commit = await place.refs.git(
      ...['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit-tree', tree],
      ...['-p', place.head, '-p', request.sha, '-m', 'Merge'],
    );
    const update = { ref: 'refs/heads/master', oldOid: place.head, newOid: commit };
    await trellis.rows(
      `INSERT INTO merge_attempts (merge_request_id, commit_sha, user_id, should_remove_source_branch)
       VALUES ($1, $2, $3, true)`,
      [request.id, commit, place.owner.user.id],
    );
    await trellis.rows(
      `INSERT INTO push_intents (project_id, user_id, updates, host, pid)
       VALUES ($1, $2, $3, 'elsewhere', 1)`,
      [place.project.id, place.owner.user.id, JSON.stringify([update])],
    );
    await trellis.rows(`UPDATE push_intents SET created_at = now() - interval '10 minutes'`);
    await place.refs.git('update-ref', update.ref, update.newOid, update.oldOid);
    return commit;
  }

  it('after the branch has moved records the complete merge', async () => {
    const place = await merging.place();
    const request = await place.propose();
    const commit = await dieAmidMerge(place, request);
    expect((await place.read(request)).state).toBe('opened');
    // Another accept settles what was left behind, and finds that it comes too late.
    await place.accept(request).expect((answer) => {
      expect([405, 409]).toContain(answer.status);
    });
    await trellis.app.get(PushRecovery).recover(place.project.id);
    expect(await place.read(request)).toMatchObject({ state: 'merged', merge_commit_sha: commit });
    expect(await place.notes(request)).toEqual(['merged']);
    expect((await place.events(request)).at(-1)).toEqual({
      action: 'accepted',
      author_id: place.owner.user.id,
    });
    const jobs = await trellis.rows(
      `SELECT payload, run_at > created_at AS "isDelayed"
         FROM outbox WHERE name = 'finish-merge' AND payload->>'mergeRequestId' = $1`,
      [String(request.id)],
    );
    expect(jobs).toEqual([{ payload: { mergeRequestId: request.id }, isDelayed: true }]);
  });

  it('also records the merge for a request that was closed in the meantime', async () => {
    const place = await merging.place();
    const request = await place.propose();
    const commit = await dieAmidMerge(place, request);
    await place.update(request, { state_event: 'close' }).expect(200);
    await trellis.app.get(PushRecovery).recover(place.project.id);
    expect(await place.read(request)).toMatchObject({ state: 'merged', merge_commit_sha: commit });
    expect(await place.notes(request)).toEqual(['closed', 'merged']);
  });

  it('before the branch moves leaves the request open and acceptable', async () => {
    const place = await merging.place();
    const request = await place.propose();
    const update = { ref: 'refs/heads/master', oldOid: place.head, newOid: 'e'.repeat(40) };
    await trellis.rows(
      `INSERT INTO merge_attempts (merge_request_id, commit_sha, user_id, should_remove_source_branch)
       VALUES ($1, $2, $3, true)`,
      [request.id, update.newOid, place.owner.user.id],
    );
    await trellis.rows(
      `INSERT INTO push_intents (project_id, user_id, updates, host, pid, created_at)
       VALUES ($1, $2, $3, 'elsewhere', 1, now() - interval '10 minutes')`,
      [place.project.id, place.owner.user.id, JSON.stringify([update])],
    );
    await place.accept(request).expect(200);
    expect(await place.refs.intents()).toEqual([]);
    expect(await place.refs.target(`refs/heads/${request.source_branch}`)).toBe(request.sha);
    await expectWhole(place, [request]);
  });
});
