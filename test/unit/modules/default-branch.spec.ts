import { chooseDefaultBranch } from '../../../src/modules/repository/pushes/default-branch.js';

const ZERO = '0'.repeat(40);
const ONE = '1'.repeat(40);
const made = (...refs: string[]) => refs.map((ref) => ({ ref, oldOid: ZERO, newOid: ONE }));

describe('the default branch of a first push', () => {
  it('is the one that HEAD was set up for', () => {
    const updates = made('refs/heads/a', 'refs/heads/master', 'refs/heads/trunk');
    expect(chooseDefaultBranch('trunk', updates)).toBe('trunk');
  });

  it('else master, else the first by name', () => {
    expect(chooseDefaultBranch('trunk', made('refs/heads/a', 'refs/heads/master'))).toBe('master');
    expect(chooseDefaultBranch(null, made('refs/heads/b/c', 'refs/heads/a'))).toBe('a');
  });

  it('is none when no branch was made', () => {
    const deleted = [{ ref: 'refs/heads/a', oldOid: ONE, newOid: ZERO }];
    expect(chooseDefaultBranch('a', [...made('refs/tags/v1'), ...deleted])).toBeNull();
  });
});
