import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/**
 * The process environment on top of the `.env` file of a folder: what is really set wins.
 * @throws when the file is there and cannot be read
 */
export function readEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  folder: string = process.cwd(),
): NodeJS.ProcessEnv {
  return { ...parseEnv(readIfThere(join(folder, '.env'))), ...env };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
