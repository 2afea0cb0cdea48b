import {
  abilityToMerge,
  abilityToPush,
  protectionOf,
} from '../../../src/modules/repository/protection/protection.policy.js';

const rule = (name: string, developersCanPush = false, developersCanMerge = false) => ({
  name,
  developersCanPush,
  developersCanMerge,
});

describe('protection of branches', () => {
  it.each([
    ['master', 'master', true],
    ['master', 'master2', false],
    ['release/*', 'release/1.0', true],
    ['release/*', 'release/', true],
    ['release/*', 'releases/1.0', false],
    ['*-stable', '1-0-stable', true],
    ['*-stable', 'stable', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'acb', false],
    ['a*a', 'a', false],
    ['*', 'whatever/it/is', true],
    ['v1.*', 'v1x0', false],
    ['(.*)+', 'aaaa', false],
  ])('%s matches %s: %s', (name, branch, expected) => {
    expect(protectionOf(branch, [rule(name)]).protected).toBe(expected);
  });

  it('allows what one of several rules allows', () => {
    const rules = [
      rule('master'),
      rule('mas*', true),
      rule('*', false, true),
      rule('x', true, true),
    ];
    expect(protectionOf('master', rules)).toEqual({
      protected: true,
      developersCanPush: true,
      developersCanMerge: true,
    });
  });

  it('requires masters for pushes, unless developers may push', () => {
    expect(abilityToPush(protectionOf('a', []))).toBe('code:push');
    expect(abilityToPush(protectionOf('a', [rule('a')]))).toBe('branch:push-protected');
    expect(abilityToPush(protectionOf('a', [rule('a', true)]))).toBe('code:push');
  });

  it('requires masters for merges, unless developers may merge or push', () => {
    expect(abilityToMerge(protectionOf('a', []))).toBe('code:push');
    expect(abilityToMerge(protectionOf('a', [rule('a')]))).toBe('branch:push-protected');
    expect(abilityToMerge(protectionOf('a', [rule('a', true)]))).toBe('code:push');
    expect(abilityToMerge(protectionOf('a', [rule('a', false, true)]))).toBe('code:push');
  });
});
