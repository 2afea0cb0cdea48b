import {
  loweredVisibility,
  visibilityProblems,
} from '../../../src/modules/projects/model/project.rules.js';

const limits = (changes: Partial<Parameters<typeof visibilityProblems>[1]> = {}) => ({
  caller: { admin: false },
  namespace: { ownerId: null, visibilityLevel: 20 },
  settings: { restrictedVisibilityLevels: null },
  ...changes,
});

describe('the visibility of a project', () => {
  it('is free without limits', () => {
    for (const level of [0, 10, 20]) {
      expect(visibilityProblems(level, limits())).toEqual([]);
      expect(loweredVisibility(level, limits())).toBe(level);
    }
  });

  it('is limited by a group, not by a personal namespace', () => {
    const group = limits({ namespace: { ownerId: null, visibilityLevel: 0 } });
    expect(visibilityProblems(10, group)).toEqual([{ rule: 'above-group', value: 10, limit: 0 }]);
    expect(loweredVisibility(20, group)).toBe(0);
    const personal = limits({ namespace: { ownerId: 7, visibilityLevel: 0 } });
    expect(visibilityProblems(20, personal)).toEqual([]);
  });

  it('is limited by the source of a fork', () => {
    expect(visibilityProblems(20, limits({ sourceLevel: 10 }))).toEqual([
      { rule: 'above-source', value: 20 },
    ]);
    expect(loweredVisibility(20, limits({ sourceLevel: 10 }))).toBe(10);
  });

  it('is limited by the instance, except for administrators', () => {
    const settings = { restrictedVisibilityLevels: [0, 2] };
    expect(visibilityProblems(20, limits({ settings }))).toEqual([
      { rule: 'restricted-visibility', value: 20 },
    ]);
    expect(visibilityProblems(0, limits({ settings }))).toHaveLength(1);
    expect(visibilityProblems(10, limits({ settings }))).toEqual([]);
    expect(loweredVisibility(20, limits({ settings }))).toBe(10);
    const caller = { admin: true };
    expect(visibilityProblems(20, limits({ settings, caller }))).toEqual([]);
    expect(loweredVisibility(20, limits({ settings, caller }))).toBe(20);
  });
});
