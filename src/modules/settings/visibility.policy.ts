import type { ApplicationSettings } from './application-settings.entity.js';

/** The settings have the levels 0, 1 and 2 where projects and groups have 0, 10 and 20. */
const STEP = 10;
const LEVELS = [20, 10, 0];
const NAMES: Readonly<Record<number, string>> = { 0: 'private', 10: 'internal', 20: 'public' };

type Restrictions = Pick<ApplicationSettings, 'restrictedVisibilityLevels'>;

/** Converts a visibility setting to a level of projects and groups. */
export function levelOfSetting(setting: number): number {
  return setting * STEP;
}

/** Normalises a visibility setting of a request: 10 and 20, levels of projects, are read as 1 and 2. */
export function readVisibilitySetting(given: number): number {
  return given > 0 && given % STEP === 0 ? given / STEP : given;
}

/** The name of a level: `private`, `internal` or `public`. */
export function visibilityName(level: number): string {
  return NAMES[level] ?? String(level);
}

/** Whether the settings forbid the caller to give a level to projects and groups. */
export function isRestricted(
  level: number,
  caller: { admin: boolean },
  { restrictedVisibilityLevels }: Restrictions,
): boolean {
  if (caller.admin || restrictedVisibilityLevels === null) return false;
  return restrictedVisibilityLevels.some((setting) => levelOfSetting(setting) === level);
}

/**
 * Returns the highest level up to `limit` that is not restricted for the caller, to lower a default to it.
 * Private when every level up to the limit is restricted.
 */
export function highestUnrestricted(
  limit: number,
  caller: { admin: boolean },
  settings: Restrictions,
): number {
  const allowed = (level: number) => level <= limit && !isRestricted(level, caller, settings);
  return LEVELS.find(allowed) ?? 0;
}
