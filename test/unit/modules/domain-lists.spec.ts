import { domainProblem, matchesPattern } from '../../../src/modules/users/model/user.rules.js';

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

  it('accepts patterns that slow down a backtracking matcher', () => {
    expect(matchesPattern('a'.repeat(250), `${'*a'.repeat(100)}*b`)).toBe(false);
  });
});

describe('domainProblem', () => {
  const lists = {
    domainWhitelist: null,
    domainBlacklistEnabled: true,
    domainBlacklist: ['bad.test'],
  };

  it('takes every domain that no list speaks of', () => {
    expect(domainProblem('a@good.test', lists)).toBeUndefined();
    expect(
      domainProblem('a@bad.test', { ...lists, domainBlacklistEnabled: false }),
    ).toBeUndefined();
    expect(
      domainProblem('a@bad.test', { ...lists, domainWhitelist: ['bad.test'] }),
    ).toBeUndefined();
  });

  it('says why a domain is not taken', () => {
    expect(domainProblem('a@BAD.test', lists)).toEqual({ rule: 'domain-not-allowed' });
    expect(domainProblem('a@other.test', { ...lists, domainWhitelist: ['good.test'] })).toEqual({
      rule: 'domain-not-authorized',
    });
    expect(domainProblem('a@bad.test', { ...lists, domainWhitelist: [] })).toEqual({
      rule: 'domain-not-allowed',
    });
  });
});
