import { gitCommands } from '../process/command-table.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/** Checking a large repository takes long. */
const LIMIT_MS = 2 * 60 * 60_000;
/** Lines that are kept: a lost pack makes git print one for each object. */
const MAX_LINES = 20;
const MAX_LINE = 1_000;
/** git combines single bits. */
const EXIT_CODES = Array.from({ length: 64 }, (_, code) => code).concat(128);
/** What git prints besides flaws. */
const REMARK = /^(?:notice: |hint: |Checking |dangling |$)/;

/**
 * Checks that all refs can be read, and that all objects are there that they reach.
 * @returns the first lines of what git says about flaws; none for a sound repository
 * @throws RepositoryMissingError
 */
export async function checkRepository(
  location: RepositoryLocation,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  await location.identity();
  const lines = new FirstLines();
  const { exitCode } = await location.run(
    gitCommands.fsck(location.path),
    {
      timeoutMs: LIMIT_MS,
      exitCodes: EXIT_CODES,
      signal,
      onStdout: (chunk) => lines.add(chunk),
      onStderr: (chunk) => lines.add(chunk),
    },
    'maintenance',
  );
  if (exitCode === 0) return [];
  const flaws = lines.all().filter((line) => !REMARK.test(line));
  return flaws.length > 0 ? flaws : [`git fsck ended with ${exitCode}`];
}

/** Collects the first lines of an output of any length. */
class FirstLines {
  private text = '';

  add(chunk: Buffer): void {
    if (this.text.length < MAX_LINES * MAX_LINE) this.text += chunk.toString('utf8');
  }

  all(): string[] {
    const lines = this.text.split('\n').slice(0, MAX_LINES);
    return lines.map((line) => line.slice(0, MAX_LINE));
  }
}
