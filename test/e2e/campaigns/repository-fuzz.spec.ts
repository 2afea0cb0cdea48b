/** @campaign fuzz */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { array, assert, asyncProperty, oneof } from 'fast-check';
import { apiCommits, create } from '../../support/api-commits.js';
import { complaintOf } from '../../support/complaints.js';
import { type Person, unique } from '../../support/factories.js';
import type { Canary } from '../../support/hostile-names.js';
import { hostileRequests, repositoryOperations } from '../../support/hostile-requests.js';
import { isSeedFixed, lengthOf, seedOf } from '../../support/lengths.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { type RawRequest, RawRequests } from '../../support/raw-requests.js';
import { Trellis } from '../../support/trellis.js';

const SEED = seedOf(20_170_109);
/** Rounds of as many requests as are under way at once. */
const ROUNDS = lengthOf({ brief: 32, campaign: 1_024 });
const AT_ONCE = 8;

/** What commits and pushes change in a repository; everything else of it stays as it is. */
const CHANGING = /^(?:objects|refs)(?:\/|$)|^packed-refs$/;

jest.setTimeout(600_000);

describe('malicious names, sent to every operation of a repository', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;
  let refs: PushedRefs;
  let neighbour: PushedRefs;
  let requests: RawRequests;
  let canaries: string;
  let canary: Canary;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
    const { project, work } = await pushed.make();
    const api = apiCommits(trellis, project, owner);
    await api.commit([create('dir/a.txt', 'One\nTwo\n'), create('b.txt')]).expect(200);
    const branches = `/projects/${String(project.id)}/repository/branches`;
    const made = { branch_name: 'topic/a', ref: 'master' };
    await trellis.as(owner).post(branches, made).expect(200);
    await api.commit([create('c.txt')], { branch_name: 'topic/a' }).expect(200);
    await work.git('tag', '-a', '-m', 'One', 'v1', 'HEAD');
    expect((await work.push('v1')).code).toBe(0);
    refs = api.refs;
    neighbour = new PushedRefs(trellis, (await pushed.make()).project);
    requests = new RawRequests(trellis.url, owner.token, AT_ONCE);
    canaries = await mkdtemp(path.join(tmpdir(), 'trellis-canaries-'));
    const token = `canary-${unique()}`;
    canary = { token, file: path.join(canaries, token) };
  });
  afterAll(async () => {
    requests.close();
    await rm(canaries, { recursive: true, force: true });
    await pushed.remove();
  });

  it(`are answered, and neither executed nor written elsewhere (seed ${String(SEED)})`, async () => {
    const operations = repositoryOperations();
    expect(operations.length).toBeGreaterThanOrEqual(34);
    const outside = await filesOutside();
    const fixed = await fixedFiles();
    const { project } = refs;
    const any = oneof(
      ...operations.map((one) => ({
        weight: one.body.includes('actions') ? 3 : 1,
        arbitrary: hostileRequests(one, project.id, canary),
      })),
    );
    const answered = new Map<number, number>();
    await assert(
      asyncProperty(array(any, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (some) => {
        const complaints = await Promise.all(some.map((one) => complaintAbout(one, answered)));
        expect(complaints.filter((complaint) => complaint !== undefined)).toEqual([]);
      }),
      { seed: SEED, numRuns: ROUNDS },
    );
    // The requests were not all refused by the first check that they met.
    for (const status of isSeedFixed() ? [200, 400, 404] : []) {
      expect(answered.get(status)).toBeGreaterThan(ROUNDS / 10);
    }
    expect(await readdir(canaries)).toEqual([]);
    for (const place of [process.cwd(), tmpdir(), path.dirname(refs.folder), refs.folder]) {
      const names = await readdir(place);
      expect(names.filter((name) => name.includes(canary.token))).toEqual([]);
    }
    expect(await filesOutside()).toEqual(outside);
    expect(await fixedFiles()).toEqual(fixed);
  });

  it('leave a sound repository without invalid names', async () => {
    await refs.expectSound();
    await neighbour.expectSound();
    const written = await refs.all();
    for (const ref of written) {
      await refs.git('check-ref-format', ref);
      expect(ref).toMatch(/^refs\/(?:heads|tags)\/[^-]/);
    }
    const log = ['log', '--all', '-m', '-z', '--name-only', '--format='];
    const files = new Set((await refs.git(...log)).split('\0').filter(Boolean));
    // Four were there from the start, three of them on the default branch, which cannot be deleted.
    expect(files.size).toBeGreaterThanOrEqual(isSeedFixed() ? 5 : 3);
    for (const file of files) {
      expect(file).not.toMatch(/\p{Cc}/u);
      for (const part of file.split('/')) expect(part).not.toMatch(/^(?:\.git|\.\.?|)$/i);
    }
    const url = `/projects/${String(refs.project.id)}/repository/commits/master`;
    await trellis.as(owner).get(url).expect(200);
  });

  async function complaintAbout(one: RawRequest, answered: Map<number, number>) {
    const answer = await requests.send(one);
    answered.set(answer.status, (answered.get(answer.status) ?? 0) + 1);
    const isForged = 'x-evil' in answer.headers;
    const complaint = isForged ? 'a header of the request' : complaintOf(answer);
    return complaint === undefined ? undefined : { complaint, one };
  }

  /** Everything in the data folder that is not of the repository. */
  async function filesOutside(): Promise<string[]> {
    const all = await readdir(trellis.dataDir, { recursive: true });
    const inside = path.relative(trellis.dataDir, refs.folder);
    return all.filter((name) => name !== inside && !name.startsWith(inside + path.sep)).sort();
  }

  /** The files of the repository that nobody has to change, with what is in them. */
  async function fixedFiles(): Promise<Record<string, string>> {
    const entries = await readdir(refs.folder, { recursive: true, withFileTypes: true });
    const files: Record<string, string> = {};
    for (const entry of entries) {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(refs.folder, file);
      if (CHANGING.test(name)) continue;
      files[name] = entry.isFile() ? await readFile(file, 'utf8') : 'folder';
    }
    return files;
  }
});
