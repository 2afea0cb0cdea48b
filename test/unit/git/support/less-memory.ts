import { writeFile } from 'node:fs/promises';
import type { Git } from '../../../../src/git/index.js';
import type { Workshop } from './workshop.js';

/** By how much limits are lower, so that a test reaches them with little. */
export const MEMORY_DIVISOR = 8;

const SCRIPT = `#!/bin/sh
limit=$(ulimit -d)
[ "$limit" = unlimited ] || ulimit -d $((limit / ${String(MEMORY_DIVISOR)}))
exec git "$@"
`;

/** A program that is git within an eighth of the memory that it is started with. */
export async function lessMemoryProgram(workshop: Workshop): Promise<string> {
  const executable = workshop.path('git-with-less-memory');
  await writeFile(executable, SCRIPT, { mode: 0o755 });
  return executable;
}

/** Git whose processes get an eighth of the memory that they would be limited to. */
export async function withLessMemory(workshop: Workshop): Promise<Git> {
  return workshop.anotherRoom({ executable: await lessMemoryProgram(workshop) });
}
