import fc from 'fast-check';
import { pathFromName, projectErrors } from '../../../src/modules/projects/model/project.rules.js';

const errorsOf = (path: string, name = 'name') => projectErrors({ name, path, description: null });

describe('names and paths of projects', () => {
  it.each([
    ['My Project', 'my-project'],
    ['Ünïcödé & Co.', 'unicode-co'],
    ['  spaces  ', 'spaces'],
    ['日本', 'riben'],
    ['a – b', 'a-b'],
    ['v2.0_final', 'v2.0_final'],
    ['!!!', ''],
  ])('makes of the name %j the path %j', (name, path) => {
    expect(pathFromName(name)).toBe(path);
  });

  it('makes paths that are well-formed or empty, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
        expect(pathFromName(name)).toMatch(/^([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?)?$/);
      }),
    );
  });

  it.each(['a', '_x', '.x', 'a.b-c_d', 'A1', 'x'.repeat(255)])('takes the path %s', (path) => {
    expect(errorsOf(path)).toEqual({});
  });

  it.each(['-a', 'a b', 'a/b', '.', '..', 'a.git', 'a.GIT', 'a.atom', 'ä', 'a\n', 'a%', ''])(
    'refuses the path %j',
    (path) => {
      expect(errorsOf(path)).toHaveProperty('path');
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
    expect(errorsOf('path', name)).toEqual({});
  });

  it.each(['-a', '–a', '—', 'a−b', 'a/b', ' a', 'a\u0000', '<b>', 'a\nb', ''])(
    'refuses the name %j',
    (name) => {
      expect(errorsOf('path', name)).toHaveProperty('name');
    },
  );
});
