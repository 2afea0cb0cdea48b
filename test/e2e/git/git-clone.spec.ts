import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

describe('Git over HTTP: a clone', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  it('works with protocol versions 0 and 2, shallow and partial', async () => {
    const { project, work } = await projects.make({ visibilityLevel: 20 });
    for (let made = 0; made < 5; made += 1) await work.commit(`Commit ${String(made)}`);
    expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
    const clone = await projects.checkout(project, null);
    const options = [
      ['-c', 'protocol.version=0', 'clone', '--quiet', clone.remote, 'v0'],
      ['-c', 'protocol.version=2', 'clone', '--quiet', clone.remote, 'v2'],
      ['clone', '--quiet', '--depth', '2', clone.remote, 'shallow'],
      ['clone', '--quiet', '--filter=blob:none', '--no-checkout', clone.remote, 'partial'],
    ];
    for (const args of options) await clone.git(...args);
    const expected = await work.git('rev-list', '--all');
    expect(await clone.git('-C', 'v0', 'rev-list', '--all')).toBe(expected);
    expect(await clone.git('-C', 'v2', 'rev-list', '--all')).toBe(expected);
    expect(await clone.git('-C', 'partial', 'rev-list', '--all')).toBe(expected);
    const shallow = await clone.git('-C', 'shallow', 'rev-list', '--all');
    expect(shallow.split('\n')).toEqual(expected.split('\n').slice(0, 2));
  });

  it('accepts only partial filters that need no walk through trees', async () => {
    const { project } = await projects.make({ visibilityLevel: 20 });
    const clone = await projects.checkout(project, null);
    const codes: Record<string, number | null> = {};
    for (const filter of ['blob:limit=10', 'tree:0', 'tree:3', 'combine:blob:none+tree:0']) {
      const folder = filter.replace(/\W/g, '-');
      const { code } = await clone.try(
        ...['clone', '--quiet', `--filter=${filter}`, '--no-checkout', clone.remote, folder],
      );
      codes[filter] = code;
    }
    expect(codes).toEqual({
      'blob:limit=10': 0,
      'tree:0': 0,
      'tree:3': 128,
      'combine:blob:none+tree:0': 128,
    });
  });
});
