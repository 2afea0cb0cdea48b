import {
  loweredVisibility,
  visibilityErrors,
} from '../../../src/modules/projects/model/project.rules.js';

const limits = (changes: Partial<Parameters<typeof visibilityErrors>[1]> = {}) => ({
  caller: { admin: false },
  namespace: { ownerId: null, visibilityLevel: 20 },
  settings: { restrictedVisibilityLevels: null },
  ...changes,
});

describe('the visibility of a project', () => {
  it('may be any where nothing limits it', () => {
    for (const level of [0, 10, 20]) {
      expect(visibilityErrors(level, limits())).toEqual([]);
      expect(loweredVisibility(level, limits())).toBe(level);
    }
  });

  it('is limited by a group, not by a personal namespace', () => {
    const group = limits({ namespace: { ownerId: null, visibilityLevel: 0 } });
    expect(visibilityErrors(10, group)).toEqual(['internal is not allowed in a private group.']);
    expect(loweredVisibility(20, group)).toBe(0);
    const personal = limits({ namespace: { ownerId: 7, visibilityLevel: 0 } });
    expect(visibilityErrors(20, personal)).toEqual([]);
  });

  it('is limited by the source of a fork', () => {
    expect(visibilityErrors(20, limits({ sourceLevel: 10 }))).toEqual([
      'public is not allowed since the fork source project has lower visibility.',
    ]);
    expect(loweredVisibility(20, limits({ sourceLevel: 10 }))).toBe(10);
  });

  it('is limited by the instance, for all but administrators', () => {
    const settings = { restrictedVisibilityLevels: [0, 2] };
    expect(visibilityErrors(20, limits({ settings }))).toEqual([
      'public has been restricted by your administrator',
    ]);
    expect(visibilityErrors(0, limits({ settings }))).toHaveLength(1);
    expect(visibilityErrors(10, limits({ settings }))).toEqual([]);
    expect(loweredVisibility(20, limits({ settings }))).toBe(10);
    const caller = { admin: true };
    expect(visibilityErrors(20, limits({ settings, caller }))).toEqual([]);
    expect(loweredVisibility(20, limits({ settings, caller }))).toBe(20);
  });
});
