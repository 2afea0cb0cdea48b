import { VISIBILITIES, type Visibility } from '../../../src/modules/authorization/index.js';
import {
  loweredVisibility,
  visibilityProblems,
} from '../../../src/modules/projects/model/project.rules.js';

const limits = (changes: Partial<Parameters<typeof visibilityProblems>[1]> = {}) => ({
  caller: { admin: false },
  namespace: { ownerId: null as number | null, visibility: 'public' as Visibility },
  settings: { restrictedVisibilityLevels: null as Visibility[] | null },
  ...changes,
});

describe('the visibility of a project', () => {
  it('is free without limits', () => {
    for (const visibility of VISIBILITIES) {
      expect(visibilityProblems(visibility, limits())).toEqual([]);
      expect(loweredVisibility(visibility, limits())).toBe(visibility);
    }
  });

  it('is limited by a group, not by a personal namespace', () => {
    const group = limits({
      namespace: { ownerId: null as number | null, visibility: 'private' },
    });
    expect(visibilityProblems('internal', group)).toEqual([
      { rule: 'above-group', value: 'internal', limit: 'private' },
    ]);
    expect(loweredVisibility('public', group)).toBe('private');
    const personal = limits({ namespace: { ownerId: 7, visibility: 'private' } });
    expect(visibilityProblems('public', personal)).toEqual([]);
  });

  it('is limited by the source of a fork', () => {
    expect(visibilityProblems('public', limits({ ofSource: 'internal' }))).toEqual([
      { rule: 'above-source', value: 'public' },
    ]);
    expect(loweredVisibility('public', limits({ ofSource: 'internal' }))).toBe('internal');
  });

  it('is limited by the instance, except for administrators', () => {
    const settings = { restrictedVisibilityLevels: ['private', 'public'] as Visibility[] };
    expect(visibilityProblems('public', limits({ settings }))).toEqual([
      { rule: 'restricted-visibility', value: 'public' },
    ]);
    expect(visibilityProblems('private', limits({ settings }))).toHaveLength(1);
    expect(visibilityProblems('internal', limits({ settings }))).toEqual([]);
    expect(loweredVisibility('public', limits({ settings }))).toBe('internal');
    const caller = { admin: true };
    expect(visibilityProblems('public', limits({ settings, caller }))).toEqual([]);
    expect(loweredVisibility('public', limits({ settings, caller }))).toBe('public');
  });
});
