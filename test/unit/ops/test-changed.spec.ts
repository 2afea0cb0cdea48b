import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { evaluate, ROOT } from './script-modules.js';

interface Choice {
  suites: string[];
  sampled: string[];
}

const USERS = 'src/modules/users/users.service.ts';
const RULES = 'src/modules/issues/issue.rules.ts';
const HOUSE = 'src/bootstrap/rooms.ts';
const ROWS = 'test/support/issue-rows.ts';
const TRELLIS = 'test/support/trellis.ts';

/** A small house: issues are of users, and so are groups, projects and hooks. */
const IMPORTS: Record<string, string[]> = {
  [RULES]: [],
  [USERS]: [],
  'src/modules/issues/issues.service.ts': [RULES, USERS],
  'src/modules/issues/issues.module.ts': ['src/modules/issues/issues.service.ts'],
  'src/modules/groups/groups.service.ts': [USERS],
  'src/modules/projects/projects.service.ts': [USERS],
  'src/modules/hooks/hooks.service.ts': [USERS],
  'src/platform/http/server.ts': [],
  [HOUSE]: ['src/modules/issues/issues.module.ts', 'src/platform/http/server.ts'],
  [TRELLIS]: [HOUSE],
  [ROWS]: [RULES],
  'test/unit/modules/issue-rules.spec.ts': [RULES],
  'test/e2e/issues/issues-create.spec.ts': [TRELLIS],
  'test/e2e/issues/issues-read.spec.ts': [TRELLIS],
  'test/e2e/users/current-user.spec.ts': [TRELLIS],
  'test/e2e/users/user-keys.spec.ts': [TRELLIS, ROWS],
  'test/e2e/groups/group-members.spec.ts': [TRELLIS],
  'test/e2e/groups/group-detail.spec.ts': [TRELLIS],
  'test/contract/import-cycles.spec.ts': [],
  'test/contract/docs.spec.ts': [],
};
const SUITES = Object.keys(IMPORTS).filter((name) => name.endsWith('.spec.ts'));

async function choose(...changed: string[]): Promise<Choice> {
  const input = { changed, imports: IMPORTS, suites: SUITES };
  const expression = `module.chooseSuites(${JSON.stringify(input)})`;
  return (await evaluate('scripts/changed/choice.mjs', expression)) as Choice;
}

const short = ({ suites }: Choice): string[] =>
  suites.map((name) => name.replace(/^test\/(.*)\.spec\.ts$/, '$1'));

describe('The suites that a change can touch', () => {
  it('are those that import it and the folder of its room', async () => {
    const choice = await choose(RULES);
    expect(short(choice)).toEqual([
      ...['unit/modules/issue-rules', 'e2e/issues/issues-create', 'e2e/issues/issues-read'],
      ...['contract/import-cycles', 'contract/docs'],
    ]);
    expect(choice.sampled).toEqual([]);
  });

  it('are all of its folder and one of each other when many rooms import it', async () => {
    const choice = await choose(USERS);
    expect(short(choice)).toEqual([
      ...['e2e/issues/issues-create', 'e2e/users/current-user', 'e2e/users/user-keys'],
      ...['e2e/groups/group-members', 'contract/import-cycles', 'contract/docs'],
    ]);
    expect(choice.sampled).toEqual(['groups', 'projects', 'issues', 'quick-actions', 'hooks']);
  });

  it.each([[TRELLIS], [HOUSE], ['src/platform/http/server.ts'], ['package-lock.json']])(
    'are one of each folder for %s',
    async (changed) => {
      const choice = await choose(changed);
      expect(choice.sampled).toHaveLength(19);
      expect(short(choice).filter((name) => name.startsWith('e2e'))).toEqual([
        ...['e2e/issues/issues-create', 'e2e/users/current-user', 'e2e/groups/group-members'],
      ]);
    },
  );

  it('are those that use it if it belongs to the tests', async () => {
    expect(short(await choose(ROWS))).toEqual(['e2e/users/user-keys']);
  });

  it('are the suite itself, the tests of documents, the folder of a removed file', async () => {
    const suite = 'test/e2e/users/user-keys.spec.ts';
    expect(await choose(suite)).toEqual({ suites: [suite], sampled: [] });
    expect(short(await choose('README.md'))).toEqual(['contract/docs']);
    expect(short(await choose('src/modules/issues/removed.ts'))).toEqual([
      ...['e2e/issues/issues-create', 'e2e/issues/issues-read'],
      ...['contract/import-cycles', 'contract/docs'],
    ]);
    expect(await choose('LICENSE')).toEqual({ suites: [], sampled: [] });
  });
});

describe('The import graph', () => {
  let folder: string;

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('leads through index.ts to what declares a name, and leaves types out', async () => {
    folder = await mkdtemp(join(tmpdir(), 'trellis-imports-'));
    const files = {
      'src/a/index.ts': `export { One, type Two } from './one.js';\nexport * from './three.js';\n`,
      'src/a/one.ts': `export const One = 1;\nexport type Two = 2;\n`,
      'src/a/three.ts': `export const Three = 3;\n`,
      'src/b.ts': `import { One, type Two } from './a/index.js';\nexport const b: Two = One;\n`,
      'src/c.ts': `import type { Two } from './a/one.js';\nimport { x } from 'y';\n`,
      'test/d.spec.ts': `import { Three } from '../src/a/index.js';\nimport './e.mjs';\n`,
      'test/e.mjs': `const all = await import('../src/a/index.js');\n`,
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const expression = `module.readImports(${JSON.stringify(folder)})`;
    expect(await evaluate('scripts/changed/imports.mjs', expression)).toMatchObject({
      'src/b.ts': ['src/a/one.ts'],
      'src/c.ts': [],
      'test/d.spec.ts': ['src/a/index.ts', 'src/a/three.ts', 'test/e.mjs'],
      'test/e.mjs': ['src/a/index.ts', 'src/a/one.ts', 'src/a/three.ts'],
    });
  });
});

describe('The rules', () => {
  it('name existing folders, rooms and suites', async () => {
    const read = (expression: string) => evaluate('scripts/changed/rules.mjs', expression);
    const folders = (await read('module.FOLDERS')) as Record<
      string,
      { rooms: string[]; sample: string }
    >;
    expect(Object.keys(folders).sort()).toEqual((await readdir(join(ROOT, 'test/e2e'))).sort());
    const rooms = Object.values(folders).flatMap((folder) => folder.rooms);
    // Whom the rest of the house asks what is allowed: its own tests are contract tests.
    expect([...new Set([...rooms, 'authorization'])].sort()).toEqual(
      (await readdir(join(ROOT, 'src/modules'))).sort(),
    );
    const all = (await readdir(join(ROOT, 'test'), { recursive: true })).map(String);
    const samples = Object.entries(folders).map(([name, { sample }]) => `e2e/${name}/${sample}`);
    const named = (await read('module.RULES.flatMap(([, names]) => names)')) as string[];
    const missing = [...samples, ...named].filter(
      (name) => !all.some((file) => file.startsWith(name) && file.endsWith('.spec.ts')),
    );
    expect(missing).toEqual([]);
  });
});
