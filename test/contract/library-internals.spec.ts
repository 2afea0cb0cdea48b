import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What is used of the internals of a library, and the only file that may. */
const INTERNALS: Readonly<Record<string, readonly RegExp[]>> = {
  'src/platform/http/internals/nest.ts': [/from '@nestjs\/[\w-]+\/[^']+'/],
  'src/platform/http/internals/express.ts': [/\.router\b/],
  'src/platform/http/internals/class-validator.ts': [/\bgetTargetValidationMetadatas\b/],
  'src/platform/http/internals/node.ts': [
    /\b_handle\b/,
    /\bdestroySoon = /,
    /\bonIncoming\b/,
    /\bkOnBody\b/,
    /\b_dump\b/,
  ],
  'src/platform/database/pg-internals.ts': [
    /\bsubmittedNamedStatements\b/,
    /pg\.Client as unknown/,
  ],
  'src/platform/database/typeorm-internals.ts': [/from 'typeorm\/[^']+'/, /\bPostgresDriver\b/],
  'src/modules/git-access/ssh/protocol-internals.ts': [/\b_protocol\b/],
};

describe('the internals of libraries', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => path.join('src', file));
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

  it.each(Object.entries(INTERNALS))('are used in one file: %s', (file, patterns) => {
    for (const pattern of patterns) {
      const users = files.filter((each) => pattern.test(texts.get(each) ?? ''));
      expect(users).toEqual([file]);
    }
  });
});
