import { violatedUnique } from '../../platform/database/index.js';

/** The unique indexes that say which field of a project is taken in its namespace. */
const FIELDS: ReadonlyMap<string, 'name' | 'path'> = new Map([
  ['projects_name_key', 'name'],
  ['projects_path_key', 'path'],
]);

/** The field that another project of the namespace has already, when that is what failed. */
export function takenName(error: unknown): 'name' | 'path' | null {
  return FIELDS.get(violatedUnique(error) ?? '') ?? null;
}
