import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

let known: string | undefined;

/** What the service calls itself towards other servers: `<service>/<version>`. */
export function userAgent(): string {
  known ??= readName();
  return known;
}

// The sources and what is built of them lie at different depths below the package.
function readName(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  const manifest = readFileSync(path.join(folder, 'package.json'), 'utf8');
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  return `${name}/${version}`;
}
