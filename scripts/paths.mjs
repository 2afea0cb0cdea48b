import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

export const inRoot = (...names) => path.join(ROOT, ...names);

/** What the build makes of src/main.ts. */
export const MAIN = inRoot('dist', 'src', 'main.js');
