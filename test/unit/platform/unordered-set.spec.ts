import { UnorderedSet } from '../../../src/platform/collections/index.js';

describe('UnorderedSet', () => {
  it('contains added and not deleted items, in any order', () => {
    const members = Array.from({ length: 5 }, (_, number) => ({ number }));
    const [first, second, third, fourth, last] = members as [
      object,
      object,
      object,
      object,
      object,
    ];
    const set = new UnorderedSet<object>();
    for (const member of members) set.add(member);
    for (const member of [second, second, last, {}]) set.delete(member);
    expect(set.size).toBe(3);
    expect(new Set(set)).toEqual(new Set([first, third, fourth]));
    set.add(second);
    for (const member of [first, third, fourth]) set.delete(member);
    expect([...set]).toEqual([second]);
  });

  it('is iterated over its initial items', () => {
    const [first, second] = [{}, {}];
    const set = new UnorderedSet<object>();
    for (const member of [first, second]) set.add(member);
    const seen: object[] = [];
    for (const member of set) {
      seen.push(member);
      set.delete(member);
      set.add({});
    }
    expect(seen).toEqual([first, second]);
    expect(set.size).toBe(2);
  });
});
