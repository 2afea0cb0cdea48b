import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ProjectStorage } from '../../../src/modules/projects/index.js';
import { BranchWork } from '../../support/branch-work.js';
import type { Checkout } from '../../support/checkout.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { FollowedRequests } from '../../support/followed-requests.js';
import { pathOf } from '../../support/merge-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const FOLDERS = 50;
const FILES = 100;
const LINES = 45;

interface Changes {
  merge_status: string;
  changes: { new_path: string; diff: string }[];
}

describe('a merge request that changes five thousand files', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let project: MadeProject;
  let id: number;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    const begun = await BranchWork.begin(trellis, owner, projects);
    ({ project } = begun);
    await writeFiles(begun.branches.work);
    const many = await begun.branches.work.commit('Many files');
    await begun.branches.push(`${many}:refs/heads/many`);
    id = await new FollowedRequests(trellis, owner).open({ source: project, from: 'many' });
  });
  afterAll(() => projects.remove());

  /** So large that a response of as many files as there may be has more than 4 MiB. */
  async function writeFiles({ folder }: Checkout): Promise<void> {
    for (let at = 0; at < FOLDERS; at += 1) {
      const place = path.join(folder, 'many', String(at));
      await mkdir(place, { recursive: true });
      for (let file = 0; file < FILES; file += 1) {
        const line = `${String(at)} ${String(file)} `.padEnd(99, '.');
        await writeFile(path.join(place, String(file)), `${line}\n`.repeat(LINES));
      }
    }
  }

  const read = async <Body>(rest: string): Promise<Body> => {
    const to = `${pathOf({ id, project_id: project.id })}/${rest}`;
    return (await trellis.as(owner).get(to).expect(200)).body as Body;
  };

  it('says that it is cut, and answers a thousand files with their texts', async () => {
    const versions = await read<{ id: number }[]>('versions');
    expect(versions).toMatchObject([{ state: 'overflow', real_size: '1000+' }]);
    const { changes } = await read<Changes>('changes');
    expect(changes).toHaveLength(1000);
    const texts = changes.filter(({ new_path }) => new_path.startsWith('many/'));
    expect(texts.length).toBeGreaterThanOrEqual(999);
    for (const { diff } of texts) expect(diff.split('\n')).toHaveLength(LINES + 4);
    expect(Buffer.byteLength(JSON.stringify(changes))).toBeGreaterThan(4 * 1024 * 1024);
    const { diffs } = await read<{ diffs: object[] }>(`versions/${String(versions[0]?.id)}`);
    expect(diffs).toEqual(changes);
  });

  it('is asked of git once: from then on the repository need not even be there', async () => {
    const first = await read<Changes>('changes');
    expect(first.merge_status).toBe('can_be_merged');
    const spawned = trellis.git.spawnCount;
    const place = trellis.app.get(ProjectStorage).path({ id: project.id, storage: 'default' });
    await rename(place, `${place}.away`);
    try {
      let again: Changes | undefined;
      const ran = await trellis.statements.during(async () => {
        again = await read<Changes>('changes');
      });
      expect(again).toEqual(first);
      expect(ran.length).toBeLessThanOrEqual(8);
      expect(ran.filter((sql) => !/^\s*(SELECT|WITH)\b/.test(sql))).toEqual([]);
    } finally {
      await rename(`${place}.away`, place);
    }
    expect(trellis.git.spawnCount).toBe(spawned);
  });
});
