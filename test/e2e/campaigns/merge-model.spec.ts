/** @campaign models */
import { isSeedFixed, lengthOf, seedOf } from '../../support/lengths.js';
import { pathOf } from '../../support/merge-requests.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { Trellis } from '../../support/trellis.js';
import { numbers, pickFrom } from '../../unit/git/support/odd-history.js';

jest.setTimeout(600_000);

const SEED = seedOf(7);
const STEPS = lengthOf({ brief: 100, campaign: 640 });
const SOURCES = ['one', 'two', 'three', 'four'] as const;
const TARGETS = ['master', 'stable'] as const;
/** What files conflict in now and then. */
const FILES = ['a', 'b', 'c', 'd', 'e', 'f', 'file.txt'] as const;

interface Version {
  id: number;
  head_commit_sha: string;
  start_commit_sha: string;
  base_commit_sha: string;
}

describe(`whatever happens to merge requests, seed ${String(SEED)}`, () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  const random = numbers(SEED);
  const requests: RequestBody[] = [];
  const done: string[] = [];

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    merging = await Merging.begin(trellis);
    place = await merging.place();
    await createBranch('stable', 'master').expect(200);
    // Requests from it that are merged with the wish to remove their branch leave it in place.
    await client().put(place.path('/repository/branches/stable/protect')).expect(200);
  });
  afterAll(async () => {
    await merging.end();
    await trellis.restore();
  });

  const client = () => trellis.as(place.owner);
  const anyRequest = (): RequestBody => pickFrom(requests, random);
  const createBranch = (branch_name: string, ref: string) =>
    client().post(place.path('/repository/branches'), { branch_name, ref });

  /** A head that some branch has, or that some request had. */
  async function anyCommit(): Promise<string> {
    const heads = await place.refs.git('for-each-ref', '--format=%(objectname)', 'refs/heads/');
    return pickFrom([...heads.split('\n'), ...requests.map(({ sha }) => sha)], random);
  }

  /** Moves a source branch to wherever, by a push of git. */
  async function forcePush(): Promise<{ status: number }> {
    const { work } = place;
    await work.git('fetch', '--quiet', work.remote, '+refs/*:refs/far/*');
    const target = `refs/heads/${pickFrom(SOURCES, random)}`;
    const { code } = await work.push(`+${await anyCommit()}:${target}`);
    return { status: code === 0 ? 200 : 400 };
  }

  const STEPS_OF: Record<string, () => PromiseLike<{ status: number }>> = {
    commit: () =>
      client().post(place.path('/repository/commits'), {
        branch_name: pickFrom([...SOURCES, ...SOURCES, ...TARGETS], random),
        commit_message: 'Work',
        actions: [
          {
            action: pickFrom(['create', 'update', 'delete'], random),
            file_path: pickFrom(FILES, random),
            content: String(random(1_000)),
          },
        ],
      }),
    begin: async () => createBranch(pickFrom(SOURCES, random), await anyCommit()),
    remove: () => client().delete(place.path(`/repository/branches/${pickFrom(SOURCES, random)}`)),
    forcePush,
    open: async () => {
      const answer = await client().post(place.path('/merge_requests'), {
        source_branch: pickFrom([...SOURCES, 'stable'], random),
        target_branch: pickFrom(TARGETS, random),
        title: `Request ${String(requests.length)}`,
        remove_source_branch: random(4) === 0,
      });
      if (answer.status === 200) requests.push(answer.body as RequestBody);
      return answer;
    },
    retarget: () => place.update(anyRequest(), { target_branch: pickFrom(TARGETS, random) }),
    close: () => place.update(anyRequest(), { state_event: 'close' }),
    reopen: () => place.update(anyRequest(), { state_event: 'reopen' }),
    accept: () => place.accept(anyRequest(), { should_remove_source_branch: random(4) === 0 }),
    acceptTwice: async () => {
      const request = anyRequest();
      const answers = await Promise.all([place.accept(request), place.accept(request)]);
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(2);
      return answers[0];
    },
    wait: () => place.accept(anyRequest(), { merge_when_build_succeeds: true }),
    cancel: () => place.cancel(anyRequest()),
    status: async () => {
      const request = await place.read(anyRequest());
      return place.post(request, pickFrom(['running', 'success', 'success', 'failed'], random));
    },
  };

  async function step(): Promise<void> {
    const names = Object.keys(STEPS_OF);
    const name =
      requests.length === 0 ? pickFrom(['commit', 'open'], random) : pickFrom(names, random);
    const answer = await STEPS_OF[name]!();
    done.push(`${name}: ${String(answer.status)}`);
    if (answer.status >= 500) throw new Error(done.join('\n'));
  }

  it('keeps merged commits in the target once, and every version readable', async () => {
    for (let made = 0; made < STEPS; made += 1) await step();
    await merging.settled();
    const merges = await place.refs.git('rev-list', '--merges', '--parents', ...TARGETS);
    const lines = merges.split('\n').filter(Boolean);
    const commits = new Map(lines.map((line) => [line.slice(0, 40), line.slice(41)]));
    const made: string[] = [];
    for (const known of requests) {
      const request = await place.read(known);
      if (request.state === 'merged') await expectArrived(request);
      else expect(request.merge_commit_sha).toBeNull();
      if (request.merge_commit_sha !== null) {
        made.push(request.merge_commit_sha);
        expect(commits.get(request.merge_commit_sha)?.split(' ')[1]).toBe(request.sha);
      }
      await expectVersions(request);
    }
    expect([...commits.keys()].sort()).toEqual(made.sort());
    if (isSeedFixed()) expect(made.length).toBeGreaterThan(0);
    expect(await trellis.rows('SELECT 1 FROM push_intents')).toEqual([]);
    expect(await place.refs.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  /** Its target has its head; it was told once. */
  async function expectArrived(request: RequestBody): Promise<void> {
    const base = await place.refs.git('merge-base', request.sha, request.target_branch);
    expect(base).toBe(request.sha);
    expect((await place.notes(request)).filter((text) => text === 'merged')).toHaveLength(1);
    const told = (await place.events(request)).filter(({ action }) => action === 'accepted');
    expect(told).toHaveLength(1);
  }

  async function expectVersions(request: RequestBody): Promise<void> {
    const path = `${pathOf(request)}/versions`;
    const { body } = await client().get(path).expect(200);
    const versions = body as Version[];
    expect(versions.length).toBeGreaterThan(0);
    expect(versions[0]?.head_commit_sha).toBe(request.sha);
    for (const version of versions) {
      await client()
        .get(`${path}/${String(version.id)}`)
        .expect(200);
      for (const sha of [version.head_commit_sha, version.start_commit_sha]) {
        expect(await place.refs.git('cat-file', '-t', sha)).toBe('commit');
      }
    }
  }
});
