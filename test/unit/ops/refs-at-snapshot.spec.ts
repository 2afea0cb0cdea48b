import { refsAtSnapshot } from '../../../src/backup/repository-backup.js';
import { ZERO_OID } from '../../../src/git/index.js';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];
const MASTER = 'refs/heads/master';

const change = (ref: string, before: string) => ({ projectId: 1, ref, before });

describe('the refs at the moment of a snapshot', () => {
  it('equal the refs that were read if none has moved since', () => {
    expect(refsAtSnapshot([{ name: MASTER, target: A }], [], [])).toEqual([
      { name: MASTER, target: A },
    ]);
  });

  it('have the value before the first change, for every moment of the read', () => {
    const changes = [change(MASTER, A), change(MASTER, B)];
    for (const target of [A, B, C]) {
      const refs = refsAtSnapshot([{ name: MASTER, target }], changes, []);
      expect(refs).toEqual([{ name: MASTER, target: A }]);
    }
  });

  it('exclude refs created since, and include those deleted since', () => {
    const changes = [change('refs/heads/new', ZERO_OID), change('refs/tags/deleted', A)];
    const refs = refsAtSnapshot([{ name: 'refs/heads/new', target: B }], changes, []);
    expect(refs).toEqual([{ name: 'refs/tags/deleted', target: A }]);
  });

  it('keep other refs as read, since no event shows their moves', () => {
    const current = [{ name: 'refs/notes/a/b', target: B }];
    expect(refsAtSnapshot(current, [change('refs/notes/a', A)], [])).toEqual(current);
  });

  it('have the heads of merge requests from the rows, and keep append-only refs', () => {
    const keep = `refs/keep-around/${C}`;
    const current = [
      { name: 'refs/merge-requests/1/head', target: B },
      { name: 'refs/merge-requests/2/head', target: B },
      { name: keep, target: C },
    ];
    const heads = [
      { projectId: 1, iid: 1, target: A },
      { projectId: 1, iid: 3, target: C },
    ];
    expect(refsAtSnapshot(current, [], heads)).toEqual([
      { name: keep, target: C },
      { name: 'refs/merge-requests/1/head', target: A },
      { name: 'refs/merge-requests/3/head', target: C },
    ]);
  });
});
