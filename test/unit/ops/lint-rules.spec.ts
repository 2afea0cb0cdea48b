/** @operation */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');

const TABLE = 'export class Table {\n  readonly name = "table";\n}\n';
const uses = (path: string, name = 'Table') =>
  `import { ${name} } from '${path}';\nexport const held = new ${name}();\n`;

/** A small house: each file with the rule it breaks, or null. */
const FILES: Record<string, { text: string; breaks: string | null; says?: RegExp }> = {
  'src/modules/users/index.ts': {
    text: `export { Table } from './user.entity.js';\n`,
    breaks: null,
  },
  'src/modules/users/user.entity.ts': { text: TABLE, breaks: null },
  'src/modules/issues/index.ts': {
    text: `export { Table } from './issue.entity.js';\n`,
    breaks: null,
  },
  'src/modules/issues/issue.entity.ts': { text: TABLE, breaks: null },
  'src/git/index.ts': { text: TABLE, breaks: null },
  'src/git/inner.ts': { text: TABLE, breaks: null },
  'src/platform/errors/index.ts': { text: TABLE, breaks: null },
  'src/platform/database/index.ts': { text: TABLE, breaks: null },
  'src/platform/database/embedded/index.ts': { text: TABLE, breaks: null },
  'src/bootstrap/run.ts': { text: uses('../modules/users/index.js'), breaks: null },
  'src/modules/issues/down.ts': { text: uses('../users/index.js'), breaks: null },
  'src/modules/issues/ground.ts': {
    text: `export { Table as A } from '../../platform/database/index.js';\nexport { Table as B } from '../../git/index.js';\n`,
    breaks: null,
  },
  'src/modules/users/up.ts': {
    text: uses('../issues/index.js'),
    breaks: 'import-x/no-restricted-paths',
    says: /users lies below issues/,
  },
  'src/modules/users/up-for-a-type.ts': {
    text: `import type { Table } from '../issues/index.js';\nexport type Held = Table;\n`,
    breaks: 'import-x/no-restricted-paths',
  },
  'src/modules/issues/deep.ts': {
    text: uses('../users/user.entity.js'),
    breaks: 'import-x/no-restricted-paths',
    says: /Enter users through its index\.ts/,
  },
  'src/modules/hooks/payloads/payload.ts': { text: TABLE, breaks: null },
  'src/modules/hooks/deliveries/down.ts': {
    text: uses('../payloads/payload.js'),
    breaks: null,
  },
  'src/modules/hooks/payloads/up.ts': {
    text: `export { held } from '../deliveries/down.js';\n`,
    breaks: 'import-x/no-restricted-paths',
    says: /payloads lies below deliveries/,
  },
  'src/modules/users/v3/index.ts': { text: TABLE, breaks: null },
  'src/modules/issues/v3/issue.view.ts': { text: uses('../../users/v3/index.js'), breaks: null },
  'src/modules/issues/v4/issue.view.ts': {
    text: `export { held } from '../v3/issue.view.js';\n`,
    breaks: 'import-x/no-restricted-paths',
    says: /present them in v3/,
  },
  'src/faces/v3.ts': { text: TABLE, breaks: null },
  'src/faces/index.ts': { text: `export { Table } from './v3.js';\n`, breaks: null },
  'src/modules/issues/v3/face.ts': { text: uses('../../../faces/index.js'), breaks: null },
  'src/modules/issues/v3/face-file.ts': {
    text: uses('../../../faces/v3.js'),
    breaks: 'import-x/no-restricted-paths',
    says: /through its index/,
  },
  'src/platform/http/face.ts': {
    text: uses('../../faces/index.js'),
    breaks: 'import-x/no-restricted-paths',
    says: /lies below and knows nothing/,
  },
  'src/modules/issues/issues.module.ts': {
    text: `export { held } from './v3/issue.view.js';\n`,
    breaks: null,
  },
  'src/modules/issues/presented.ts': {
    text: `import type { held } from './v3/issue.view.js';\nexport type Held = typeof held;\n`,
    breaks: 'import-x/no-restricted-paths',
    says: /present them in v3/,
  },
  'src/modules/issues/model/presented.ts': {
    text: `export { held } from '../v3/issue.view.js';\n`,
    breaks: 'import-x/no-restricted-paths',
    says: /present them in v3/,
  },
  'src/modules/web/pages/presented.ts': {
    text: uses('../../users/v3/index.js'),
    breaks: 'import-x/no-restricted-paths',
    says: /present them in v3/,
  },
  'src/bootstrap/presented.ts': {
    text: uses('../modules/users/v3/index.js'),
    breaks: 'import-x/no-restricted-paths',
    says: /present them in v3/,
  },
  'src/modules/issues/refusal.ts': {
    text: `export const NOT_FOUND = '404 Issue Not Found';\n`,
    breaks: 'no-restricted-syntax',
    says: /the domain knows no status/,
  },
  'src/modules/issues/refusal-template.ts': {
    text: 'export const refusal = (name: string): string => `409 $' + '{name} exists`;\n',
    breaks: 'no-restricted-syntax',
    says: /the domain knows no status/,
  },
  'src/platform/errors/refusal.ts': {
    text: `export const FORBIDDEN = '403 Forbidden';\n`,
    breaks: 'no-restricted-syntax',
    says: /the domain knows no status/,
  },
  'src/modules/issues/count.ts': { text: `export const COUNT = '404';\n`, breaks: null },
  'src/modules/issues/v3/refusals.ts': {
    text: `export const NOT_FOUND = '404 Issue Not Found';\n`,
    breaks: null,
  },
  'src/modules/issues/v3/statement.ts': {
    text: `export const FIND = 'SELECT id FROM issues';\n`,
    breaks: 'no-restricted-syntax',
    says: /SQL stands in/,
  },
  'src/platform/http/refusals.ts': {
    text: `export const FORBIDDEN = '403 Forbidden';\n`,
    breaks: null,
  },
  'src/modules/issues/issues.repository.ts': {
    text: `export const FIND = 'SELECT id FROM issues';\n`,
    breaks: null,
  },
  'src/modules/issues/statement.ts': {
    text: `export const FIND = 'SELECT id FROM issues';\n`,
    breaks: 'no-restricted-syntax',
    says: /SQL stands in/,
  },
  'src/modules/issues/template.ts': {
    text: 'export const FIND = `\n  WITH one AS (SELECT 1) SELECT 2`;\n',
    breaks: 'no-restricted-syntax',
  },
  'src/modules/issues/deep-git.ts': {
    text: uses('../../git/inner.js'),
    breaks: 'import-x/no-restricted-paths',
  },
  'src/modules/issues/bootstrap.ts': {
    text: `export * from '../../bootstrap/run.js';\n`,
    breaks: 'import-x/no-restricted-paths',
  },
  'src/git/model/oid.ts': { text: TABLE, breaks: null },
  'src/git/wire/down.ts': { text: uses('../model/oid.js'), breaks: null },
  'src/git/model/up-for-a-type.ts': {
    text: `import type { held } from '../wire/down.js';\nexport type Held = typeof held;\n`,
    breaks: 'import-x/no-restricted-paths',
    says: /model lies below wire/,
  },
  'src/git/wire/root.ts': {
    text: uses('../index.js'),
    breaks: 'import-x/no-restricted-paths',
    says: /src\/git\/wire lies below/,
  },
  'src/git/platform.ts': {
    text: uses('../platform/errors/index.js'),
    breaks: 'import-x/no-restricted-paths',
    says: /src\/git lies below/,
  },
  'src/platform/database/module.ts': {
    text: uses('../../modules/users/index.js'),
    breaks: 'import-x/no-restricted-paths',
  },
  'src/platform/errors/up.ts': {
    text: uses('../database/index.js'),
    breaks: 'import-x/no-restricted-paths',
  },
  'src/modules/users/later.ts': {
    text: `import { forwardRef } from '@nestjs/common';\nexport const later = forwardRef;\n`,
    breaks: '@typescript-eslint/no-restricted-imports',
  },
  'src/modules/users/documented.ts': {
    text: `import { ApiTags } from '@nestjs/swagger';\nexport const documented = ApiTags;\n`,
    breaks: '@typescript-eslint/no-restricted-imports',
  },
  'src/git/any.ts': {
    text: 'export const known = (value: any): string => String(value);\n',
    breaks: '@typescript-eslint/no-explicit-any',
  },
  'src/git/floating.ts': {
    text: 'export function start(): void {\n  Promise.resolve(1);\n}\n',
    breaks: '@typescript-eslint/no-floating-promises',
  },
  'src/git/print.ts': { text: `console.log('here');\nexport {};\n`, breaks: 'no-console' },
  'src/git/env.ts': {
    text: `export const home = process.env['HOME'];\n`,
    breaks: 'no-restricted-properties',
  },
  'src/platform/config/env.ts': {
    text: `export const home = process.env['HOME'];\n`,
    breaks: null,
  },
  'src/git/locale.ts': {
    text: `export const compare = (a: string, b: string): number => a.localeCompare(b);\n`,
    breaks: 'no-restricted-properties',
    says: /code units/,
  },
  'src/platform/config/locale.ts': {
    text: `export const lower = (text: string): string => text.toLocaleLowerCase();\n`,
    breaks: 'no-restricted-properties',
  },
  'src/git/silenced.ts': {
    text: `// eslint-disable-next-line no-console\nconsole.log('here');\nexport {};\n`,
    breaks: 'no-console',
  },
};

interface Result {
  readonly filePath: string;
  readonly messages: readonly { ruleId: string | null; message: string; severity: number }[];
}

function lint(folder: string): Promise<Result[]> {
  const eslint = join(ROOT, 'node_modules/eslint/bin/eslint.js');
  return new Promise((settle, fail) => {
    execFile(
      process.execPath,
      [eslint, '--format', 'json', 'src'],
      { cwd: folder, maxBuffer: 1e8 },
      (error, stdout, stderr) => {
        if (stdout) settle(JSON.parse(stdout) as Result[]);
        else fail(new Error(stderr, { cause: error }));
      },
    );
  });
}

describe('the lint rules', () => {
  let folder: string;
  const found = new Map<string, Result['messages']>();

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'trellis-lint-')));
    for (const [path, { text }] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    for (const name of [
      'eslint.config.mjs',
      'tsconfig.json',
      'tsconfig.check.json',
      'package.json',
    ]) {
      await cp(join(ROOT, name), join(folder, name));
    }
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const { filePath, messages } of await lint(folder)) {
      found.set(
        relative(folder, filePath),
        messages.filter(({ severity }) => severity === 2),
      );
    }
  }, 120_000);

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it.each(Object.entries(FILES))('judge %s', (path, { breaks, says }) => {
    const messages = found.get(path);
    const rules = messages?.map(({ ruleId }) => ruleId);
    expect(rules).toEqual(breaks === null ? [] : [breaks]);
    if (says) expect(messages?.[0]?.message).toMatch(says);
  });
});
