/**
 * @campaign storage
 * @needs bindfs fusermount
 */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { BoundFolder } from '../../support/bound-folder.js';
import type { Person } from '../../support/factories.js';
import { lengthOf } from '../../support/lengths.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(600_000);

const ROUNDS = lengthOf({ brief: 3, campaign: 40 });
const WRITERS = 4;
const COMMITS = lengthOf({ brief: 2, campaign: 10 });
/** As GlusterFS mounts are by default. */
const CACHE_SECONDS = 1;

interface CommitBody {
  id: string;
}

describe('a storage that shows writes of another machine late', () => {
  const mounts: BoundFolder[] = [];
  let here: Trellis;
  let there: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;

  beforeAll(async () => {
    const first = await BoundFolder.mount({ cacheSeconds: CACHE_SECONDS });
    const { source } = first;
    const second = await BoundFolder.mount({ source, cacheSeconds: CACHE_SECONDS });
    mounts.push(first, second);
    here = await Trellis.start({
      because: 'another process',
      env: { REPOSITORY_STORAGES: `far=${first.folder}` },
    });
    there = await Trellis.start({
      because: 'another process',
      beside: here,
      env: { REPOSITORY_STORAGES: `far=${second.folder}` },
    });
    owner = await here.factories.user();
    const admin = await here.factories.admin();
    const settings = { repository_storages: ['far'] };
    await here.as(admin).put('/application/settings', settings).expect(200);
    projects = new PushedProjects(here, owner);
    pushed = await projects.make();
  });
  afterAll(async () => {
    await projects.remove();
    await there.stop();
    await here.stop();
    // The first has the source of the second.
    for (const mount of mounts.reverse()) await mount.unmount();
  });

  /** Runs git in the repository itself, which neither machine does. */
  function inSource(...args: string[]): Promise<string> {
    const [{ folder, source }] = mounts as [BoundFolder];
    const shown = here.app.get(ProjectStorage).path({ id: pushed.project.id, storage: 'far' });
    return git(args, { cwd: path.join(source, path.relative(folder, shown)) });
  }

  const base = () => `/projects/${String(pushed.project.id)}/repository`;
  const commit = (through: Trellis, file: string, branch = 'master') => {
    const change = { file_path: file, content: file, commit_message: file };
    return through.as(owner).post(`${base()}/files`, { ...change, branch_name: branch });
  };
  const newest = async (through: Trellis): Promise<string> => {
    const { body } = await through.as(owner).get(`${base()}/commits`).expect(200);
    return (body as CommitBody[])[0]?.id ?? '';
  };
  const branches = async (through: Trellis): Promise<CommitBody[]> => {
    const { body } = await through.as(owner).get(`${base()}/branches`).expect(200);
    return (body as { name: string; commit: CommitBody }[]).map(({ commit: head }) => head);
  };

  it('is read as of the last push, through either machine', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [here, there] : [there, here];
      await newest(reader);
      await branches(reader);
      await commit(writer, `round-${String(round)}`).expect(200);
      const head = await newest(writer);
      expect(await newest(reader)).toBe(head);
      expect((await branches(reader)).map(({ id }) => id)).toEqual([head]);
    }
  });

  it('is read as of the last push when the other machine has just packed its refs', async () => {
    const name = () => `packed-${randomUUID()}`;
    await commit(here, name()).expect(200);
    await inSource('pack-refs', '--all');
    await commit(here, name()).expect(200);
    const head = await newest(there);
    const missBranch = () => there.as(owner).get(`${base()}/branches/absent`).expect(404);
    await missBranch();
    // Until the kernel has forgotten the loose ref; then it has seen the file of packed ones a moment ago.
    await delay(CACHE_SECONDS * 1_000 + 100);
    await missBranch();
    await inSource('pack-refs', '--all');
    expect(await newest(there)).toBe(head);
  });

  it('loses no commit of writers through both machines, and refuses none', async () => {
    const before = await inSource('rev-list', '--count', 'master');
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; n < COMMITS; n += 1) {
        const through = (writer + n) % 2 === 0 ? here : there;
        await commit(through, `writer-${String(writer)}-${String(n)}`).expect(200);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    const after = await inSource('rev-list', '--count', 'master');
    expect(Number(after) - Number(before)).toBe(WRITERS * COMMITS);
    expect(await newest(there)).toBe(await inSource('rev-parse', 'master'));
    expect(await inSource('fsck', '--strict', '--no-dangling')).toBe('');
  });
});
