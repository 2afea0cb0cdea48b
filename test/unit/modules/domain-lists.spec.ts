import { domainRefusal, matchesPattern } from '../../../src/modules/users/model/user.rules.js';

describe('matchesPattern', () => {
  it.each([
    ['corp.test', 'corp.test', true],
    ['corp.test', 'CORP.Test', true],
    ['a.corp.test', 'corp.test', false],
    ['a.corp.test', '*.corp.test', true],
    ['corp.test', '*.corp.test', false],
    ['a.b.corp.test', '*.corp.test', true],
    ['corp.test.org', 'corp.*', true],
    ['corptest', 'corp.test', false],
    ['mail.corp.test', 'm*.c*p.test', true],
    ['aa', 'a*a', true],
    ['a', 'a*a', false],
    ['anything', '*', true],
    ['anything', '', false],
    ['ab.test', '*.*.test', false],
  ])('%s against %s: %s', (domain, pattern, expected) => {
    expect(matchesPattern(domain, pattern)).toBe(expected);
  });

  it('takes patterns that would send a backtracking matcher astray', () => {
    expect(matchesPattern('a'.repeat(250), `${'*a'.repeat(100)}*b`)).toBe(false);
  });
});

describe('domainRefusal', () => {
  const lists = {
    domainWhitelist: null,
    domainBlacklistEnabled: true,
    domainBlacklist: ['bad.test'],
  };

  it('takes every domain that no list speaks of', () => {
    expect(domainRefusal('a@good.test', lists)).toBeUndefined();
    expect(
      domainRefusal('a@bad.test', { ...lists, domainBlacklistEnabled: false }),
    ).toBeUndefined();
    expect(
      domainRefusal('a@bad.test', { ...lists, domainWhitelist: ['bad.test'] }),
    ).toBeUndefined();
  });

  it('says why a domain is not taken', () => {
    expect(domainRefusal('a@BAD.test', lists)).toBe('is not from an allowed domain.');
    expect(domainRefusal('a@other.test', { ...lists, domainWhitelist: ['good.test'] })).toBe(
      'domain is not authorized for sign-up',
    );
    expect(domainRefusal('a@bad.test', { ...lists, domainWhitelist: [] })).toBe(
      'is not from an allowed domain.',
    );
  });
});
