import type { Visibility } from '../permissions.js';

/** How version 3 writes the visibility of projects and groups (docs/reference/projects.md#visibility). */
const LEVELS: Readonly<Record<Visibility, number>> = { private: 0, internal: 10, public: 20 };

export const VISIBILITY_LEVELS = Object.values(LEVELS);

export const presentVisibility = (visibility: Visibility): number => LEVELS[visibility];

/** @returns undefined for a number that is no level */
export function readVisibility(level: number | undefined): Visibility | undefined {
  const names = Object.keys(LEVELS) as Visibility[];
  return names.find((name) => LEVELS[name] === level);
}
