import { violatedUnique } from '../../platform/database/index.js';
import type { FieldTexts } from '../../platform/errors/index.js';

export const TAKEN = ['has already been taken'];

/** The unique indexes that say which field of a project is taken in its namespace. */
const FIELDS: ReadonlyMap<string, 'name' | 'path'> = new Map([
  ['projects_name_key', 'name'],
  ['projects_path_key', 'path'],
]);

/**
 * What is wrong with a project that the database refused because another one of the namespace has its name
 * or path; null for any other failure. `ProjectPlacement.takenErrors` finds nearly all of them before, and
 * both fields where both are taken: writers lock the namespace. Those of an older version that runs
 * beside this one do not for a change of the name.
 */
export function takenErrors(error: unknown): FieldTexts | null {
  const field = FIELDS.get(violatedUnique(error) ?? '');
  return field === undefined ? null : { [field]: TAKEN };
}
