import { rename } from 'node:fs/promises';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { BranchWork } from '../../support/branch-work.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { FollowedRequests } from '../../support/followed-requests.js';
import { pathOf } from '../../support/merge-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { dataCommand, git } from '../../unit/git/support/workshop.js';

jest.setTimeout(180_000);

const FOLDERS = 11;
const FILES = 100;
const LINES = 45;

interface Changes {
  merge_status: string;
  changes: { new_path: string; diff: string }[];
}

describe('a merge request that changes more than a thousand files', () => {
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
    const { work } = begun;
    const input = `commit refs/heads/many\ncommitter Ada <a@example.com> 1 +0000\n${dataCommand('x\n')}from ${begun.head}\n${filesOfImport()}`;
    await git(['fast-import', '--quiet'], { cwd: work.folder, input });
    expect((await work.push('many')).code).toBe(0);
    id = await new FollowedRequests(trellis, owner).open({ source: project, from: 'many' });
  });
  afterAll(() => projects.remove());

  /** So large that a response of as many files as there may be has more than 4 MiB. */
  function filesOfImport(): string {
    const numbers = Array.from({ length: FOLDERS * FILES }, (_, at) => at);
    const files = numbers.map((at) => {
      const folder = String(Math.floor(at / FILES));
      const file = String(at % FILES);
      const text = `${`${folder} ${file} `.padEnd(99, '.')}\n`.repeat(LINES);
      return `M 100644 inline many/${folder}/${file}\n${dataCommand(text)}`;
    });
    return files.join('');
  }

  const read = async <Body>(rest: string): Promise<Body> => {
    const to = `${pathOf({ id, project_id: project.id })}/${rest}`;
    return (await trellis.as(owner).get(to).expect(200)).body as Body;
  };

  it('is marked as truncated, and returns a thousand files with their diffs', async () => {
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

  it('caches its changes, so that later reads do not need the repository', async () => {
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
