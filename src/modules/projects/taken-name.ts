import { violatedUnique } from '../../platform/database/index.js';
import type { FieldTexts } from '../../platform/errors/index.js';

export const TAKEN = ['has already been taken'];

/** The unique indexes that say which field of a project is taken in its namespace. */
const FIELDS: ReadonlyMap<string, 'name' | 'path'> = new Map([
  ['projects_name_key', 'name'],
  ['projects_path_key', 'path'],
]);

/**
 * Maps a unique violation to field errors; null for any other failure. A fallback: writers check under the
 * namespace lock with `ProjectPlacement.takenErrors`; older versions do not lock for a name change.
 */
export function takenFieldsOf(error: unknown): FieldTexts | null {
  const field = FIELDS.get(violatedUnique(error) ?? '');
  return field === undefined ? null : { [field]: TAKEN };
}
