import { isMoreVisible, VISIBILITIES, type Visibility } from '../authorization/index.js';
import type { ApplicationSettings } from './application-settings.entity.js';

type Restrictions = Pick<ApplicationSettings, 'restrictedVisibilityLevels'>;

/** Whether the settings forbid the caller to give a visibility to projects and groups. */
export function isRestricted(
  visibility: Visibility,
  caller: { admin: boolean },
  { restrictedVisibilityLevels }: Restrictions,
): boolean {
  return !caller.admin && (restrictedVisibilityLevels ?? []).includes(visibility);
}

/**
 * Returns the highest visibility up to `limit` that is not restricted for the caller, to lower a default to it.
 * Private when every one up to the limit is restricted.
 */
export function highestUnrestricted(
  limit: Visibility,
  caller: { admin: boolean },
  settings: Restrictions,
): Visibility {
  const allowed = (visibility: Visibility): boolean =>
    !isMoreVisible(visibility, limit) && !isRestricted(visibility, caller, settings);
  return VISIBILITIES.findLast(allowed) ?? 'private';
}
