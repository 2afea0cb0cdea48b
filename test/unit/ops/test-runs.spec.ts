import { readFile } from 'node:fs/promises';
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
    ['/** @campaign models\n * @operation */', 'is run with the campaigns already'],
  ])('are refused where one would have no effect: %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

describe('A suite below test/e2e/campaigns', () => {
  it('must name its campaign', async () => {
    const file = 'test/e2e/campaigns/a.spec.ts';
    const read = (text: string) =>
      evaluate('scripts/suites.mjs', `module.readTags('${file}', ${JSON.stringify(text)})`);
    expect(await read('/** @campaign models */')).toEqual({ campaign: 'models' });
    await expect(read('import "a";')).rejects.toThrow(`${file} has to name its campaign`);
  });
});

describe('npm test', () => {
  const CORE = { path: 'test/e2e/issues/issues-read.spec.ts', isOperation: false };
  const BACKUP = { path: 'test/e2e/operation/backup.spec.ts', isOperation: true };
  const PACKAGE = { path: 'test/e2e/operation/package.spec.ts', isOperation: true };
  const CAMPAIGN = { ...CORE, path: 'test/e2e/campaigns/fuzz.spec.ts', campaign: 'fuzz' };
  const SUITES = [CORE, BACKUP, PACKAGE, CAMPAIGN];
  const IMPORTS = Object.fromEntries(SUITES.map(({ path }) => [path, ['test/support/trellis.ts']]));

  const select = async (changed?: string[]): Promise<object[]> => {
    const given = `...${JSON.stringify([SUITES, changed ?? null, IMPORTS])}`;
    return (await evaluate(
      'scripts/selection.mjs',
      `module.withoutUntouched(${given})`,
    )) as object[];
  };
  const scope = async (name: string): Promise<object[]> => {
    const expression = `module.selectSuites(${JSON.stringify(SUITES)}, '${name}')`;
    return (await evaluate('scripts/selection.mjs', expression)) as object[];
  };

  it('leaves out campaigns and operations', async () => {
    expect(await select(['src/modules/issues/issues.service.ts', 'README.md'])).toEqual([CORE]);
  });

  it.each([
    'src/cli/commands/backup.ts',
    'src/backup/manifest.ts',
    'src/main.ts',
    'src/bootstrap/serve.ts',
    'src/platform/database/embedded/index.ts',
  ])('has operations where %s has changed', async (file) => {
    expect(await select([file])).toEqual([CORE, BACKUP, PACKAGE]);
  });

  it('has all operations when the change is unknown', async () => {
    expect(await select()).toEqual([CORE, BACKUP, PACKAGE]);
  });

  it('has suites that the change touches', async () => {
    expect(await select([BACKUP.path, CAMPAIGN.path])).toEqual([CORE, BACKUP, CAMPAIGN]);
  });

  it('has operations with --operations, and all suites with --all', async () => {
    expect(await scope('operations')).toEqual([CORE, BACKUP, PACKAGE]);
    expect(await scope('all')).toEqual(SUITES);
  });

  it('shows in one line how many suites are skipped', async () => {
    const describeLeftOut = (selected: string) =>
      evaluate(
        'scripts/selection.mjs',
        `((suites) => module.describeLeftOut(suites, ${selected}) ?? null)(${JSON.stringify(SUITES)})`,
      );
    expect(await describeLeftOut('suites.slice(0, 1)')).toBe(
      'suites that are not run: 1 of campaigns, 2 of operations; npm test -- --all runs them',
    );
    expect(await describeLeftOut('suites.slice(0, 3)')).toBe(
      'suites that are not run: 1 of campaigns; npm test -- --all runs them',
    );
    expect(await describeLeftOut('suites')).toBeNull();
  });
});

describe('.ci/run', () => {
  it('runs each suite once: those of campaigns with the campaigns, all others with the tests', async () => {
    const commands = (await readFile('.ci/run', 'utf8')).split('\n');
    expect(commands.filter((line) => line.startsWith('npm '))).toEqual([
      'npm run check -- --without-tests',
      'npm test -- --operations',
      'npm run campaign -- --short',
    ]);
    const paths = `(async () => {
      const { findCampaigns } = await import('./scripts/campaigns.mjs');
      const { findSuites } = await import('./scripts/suites.mjs');
      const all = await findSuites();
      const tests = await module.selectSuites(all, 'operations');
      const campaigns = (await findCampaigns()).flatMap(({ suites }) => suites);
      const run = [...tests, ...campaigns].map(({ path }) => path).sort();
      return { run, all: all.map(({ path }) => path).sort() };
    })()`;
    const { run, all } = (await evaluate('scripts/selection.mjs', paths)) as Record<
      'run' | 'all',
      string[]
    >;
    expect(run).toEqual(all);
  });
});

describe('A run of tests', () => {
  const omissions = (counts: object, expected?: number) =>
    evaluate(
      'scripts/jest.mjs',
      `module.findOmissions(${JSON.stringify(counts)}, ${String(expected)})`,
    );

  it('is complete when every file was run, with all of its tests', async () => {
    expect(await omissions({ files: 3, skipped: 0 }, 3)).toEqual([]);
  });

  it('may skip tests only where arguments choose them', async () => {
    expect(await omissions({ files: 1, skipped: 7 })).toEqual([]);
    expect(await omissions({ files: 3, skipped: 7 }, 3)).toEqual(['7 tests were skipped']);
  });

  it('reports skipped files, and an early end', async () => {
    expect(await omissions({ files: 2 }, 3)).toEqual(['1 of 3 test files were not run']);
    for (const expected of [undefined, 3]) {
      expect(await omissions({}, expected)).toEqual(['Jest has ended without a result']);
    }
  });
});
