import type { ApplicationSettings } from './application-settings.entity.js';

/** Settings speak of 0, 1, 2 where projects and groups speak of 0, 10, 20 (open points 09). */
const STEP = 10;
const LEVELS = [20, 10, 0];
const NAMES: Readonly<Record<number, string>> = { 0: 'private', 10: 'internal', 20: 'public' };

type Restrictions = Pick<ApplicationSettings, 'restrictedVisibilityLevels'>;

/** The level of projects and groups that a visibility setting stands for. */
export function levelOfSetting(setting: number): number {
  return setting * STEP;
}

/** A visibility setting as clients spell it: 10 and 20, the levels of projects, are read as 1 and 2. */
export function readVisibilitySetting(given: number): number {
  return given > 0 && given % STEP === 0 ? given / STEP : given;
}

/** What a level is called in texts: `private`, `internal`, `public`. */
export function visibilityName(level: number): string {
  return NAMES[level] ?? String(level);
}

/** Whether somebody may not give a level to projects and groups; administrators may give any. */
export function isRestricted(
  level: number,
  caller: { admin: boolean },
  { restrictedVisibilityLevels }: Restrictions,
): boolean {
  if (caller.admin || restrictedVisibilityLevels === null) return false;
  return restrictedVisibilityLevels.some((setting) => levelOfSetting(setting) === level);
}

/**
 * The highest level up to `limit` that is not restricted for somebody: what a default is lowered to.
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
