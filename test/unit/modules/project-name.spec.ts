import fc from 'fast-check';
import {
  pathFromName,
  projectProblems,
} from '../../../src/modules/projects/model/project.rules.js';

const problemsOf = (path: string, name = 'name') =>
  projectProblems({ name, path, description: null });

describe('names and paths of projects', () => {
  it.each([
    ['My Project', 'my-project'],
    ['Ünïcödé & Co.', 'unicode-co'],
    ['  spaces  ', 'spaces'],
    ['日本', 'riben'],
    ['a – b', 'a-b'],
    ['v2.0_final', 'v2.0_final'],
    ['!!!', ''],
  ])('converts the name %j to the path %j', (name, path) => {
    expect(pathFromName(name)).toBe(path);
  });

  it('creates well-formed or empty paths from every name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
        expect(pathFromName(name)).toMatch(/^([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?)?$/);
      }),
    );
  });

  it.each(['a', '_x', '.x', 'a.b-c_d', 'A1', 'x'.repeat(255)])('takes the path %s', (path) => {
    expect(problemsOf(path)).toEqual({});
  });

  it.each(['-a', 'a b', 'a/b', '.', '..', 'a.git', 'a.GIT', 'a.atom', 'ä', 'a\n', 'a%', ''])(
    'refuses the path %j',
    (path) => {
      expect(problemsOf(path)).toHaveProperty('path');
    },
  );

  it.each([
    'Ünïcode',
    '🚀 Rocket',
    '🇩🇪 Team',
    '👍🏽',
    '_x',
    '1st',
    'a-b c.d',
    '日本',
    'a – b—c‑d〜e',
  ])('takes the name %s', (name) => {
    expect(problemsOf('path', name)).toEqual({});
  });

  it.each(['-a', '–a', '—', 'a−b', 'a/b', ' a', 'a\u0000', '<b>', 'a\nb', ''])(
    'refuses the name %j',
    (name) => {
      expect(problemsOf('path', name)).toHaveProperty('name');
    },
  );
});
