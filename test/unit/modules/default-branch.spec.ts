import { conventionalBranch } from '../../../src/modules/repository/pushes/recording/default-branch.js';

const ZERO = '0'.repeat(40);
const ONE = '1'.repeat(40);
const made = (...refs: string[]) => refs.map((ref) => ({ ref, oldOid: ZERO, newOid: ONE }));

describe('the default branch of a first push, by its name', () => {
  it('matches HEAD', () => {
    const updates = made('refs/heads/a', 'refs/heads/master', 'refs/heads/trunk');
    expect(conventionalBranch('trunk', updates)).toBe('trunk');
  });

  it('is master otherwise, then main', () => {
    const both = made('refs/heads/a', 'refs/heads/main', 'refs/heads/master');
    expect(conventionalBranch('trunk', both)).toBe('master');
    expect(conventionalBranch(null, made('refs/heads/a', 'refs/heads/main'))).toBe('main');
    expect(conventionalBranch(null, made('refs/heads/b/c', 'refs/heads/a'))).toBeNull();
  });

  it('is null when no branch was created', () => {
    const deleted = [{ ref: 'refs/heads/a', oldOid: ONE, newOid: ZERO }];
    expect(conventionalBranch('a', [...made('refs/tags/v1'), ...deleted])).toBeNull();
  });
});
