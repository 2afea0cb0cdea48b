import { readdir, readFile } from 'node:fs/promises';
import { evaluate } from './script-modules.js';

describe('The tags of a suite', () => {
  const read = (text: string) =>
    evaluate('scripts/suites.mjs', `module.readTags('a.spec.ts', ${JSON.stringify(text)})`);

  it('are read from the docblock at its beginning', async () => {
    expect(await read('/** @redis */\nimport "a";')).toEqual({ redis: '' });
    expect(await read('/**\n * What it is for.\n * @alone\n * @campaign models\n */')).toEqual({
      ...{ alone: '', campaign: 'models' },
    });
    expect(await read('import "a";\n/** What `@redis` means. */')).toEqual({});
  });

  it.each([
    ['/** @Redis */', 'a.spec.ts has unknown tags: Redis'],
    ['import "a";\n/** @redis */', 'tags that are not in a docblock at its beginning: redis'],
    ['// @campaign models\n', 'tags that are not in a docblock at its beginning: campaign'],
    ['/** @campaign */', 'has to name one campaign after @campaign'],
    ['/** @campaign models @redis */', 'has to name one campaign after @campaign'],
    ['/** @campaign one\n * @campaign two */', 'has to name one campaign after @campaign'],
    [
      "/** @redis */\nimport { lengthOf } from '../support/lengths.js';",
      'a long form, which no campaign runs',
    ],
  ])('are refused where one would have no effect: %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

describe('A suite', () => {
  it('is seeded if it draws what it does, so that a short campaign has something to try', async () => {
    const paths = (await evaluate(
      'scripts/suites.mjs',
      '(await module.findSuites()).filter(({ isSeeded }) => isSeeded).map(({ path }) => path)',
    )) as string[];
    expect(paths).toContain('test/e2e/campaigns/issue-model.spec.ts');
    expect(paths).not.toContain('test/e2e/campaigns/merge-races.spec.ts');
  });

  it('takes its seed itself, since it is known to be seeded by that', async () => {
    const names = await readdir('test', { recursive: true });
    const modules = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'));
    const texts = await Promise.all(modules.map((name) => readFile(`test/${name}`, 'utf8')));
    const taking = modules.filter((_, at) => texts[at]?.includes('seedOf('));
    expect(taking).toEqual(['support/lengths.ts']);
  });
});

describe('A run of tests', () => {
  const omissions = (counts: object, expected?: number) =>
    evaluate(
      'scripts/jest.mjs',
      `module.findOmissions(${JSON.stringify(counts)}, ${String(expected)})`,
    );

  it('leaves nothing out when every file was run, with all of its tests', async () => {
    expect(await omissions({ files: 3, skipped: 0 }, 3)).toEqual([]);
  });

  it('may skip tests only where arguments choose them', async () => {
    expect(await omissions({ files: 1, skipped: 7 })).toEqual([]);
    expect(await omissions({ files: 3, skipped: 7 }, 3)).toEqual(['7 tests were skipped']);
  });

  it('is known to have left out files, or to have ended early', async () => {
    expect(await omissions({ files: 2 }, 3)).toEqual(['1 of 3 test files were not run']);
    for (const expected of [undefined, 3]) {
      expect(await omissions({}, expected)).toEqual(['Jest has ended without a result']);
    }
  });
});
