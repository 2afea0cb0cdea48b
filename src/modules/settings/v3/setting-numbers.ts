import type { Visibility } from '../../authorization/index.js';
import type { DefaultBranchProtection } from '../application-settings.entity.js';

/** How settings number visibilities. */
const VISIBILITIES: Readonly<Record<Visibility, number>> = { private: 0, internal: 1, public: 2 };

/** Projects and groups number them in steps of ten. */
const STEP = 10;

const PROTECTIONS: Readonly<Record<DefaultBranchProtection, number>> = {
  none: 0,
  partial: 1,
  full: 2,
};

export const numberOfVisibility = (visibility: Visibility): number => VISIBILITIES[visibility];

/**
 * Reads a setting, also by its number for projects and groups.
 * @returns the text of a number that is none, which the rules of the settings refuse
 */
export const visibilityOfNumber = (number: number): Visibility =>
  nameOf(VISIBILITIES, number > 0 && number % STEP === 0 ? number / STEP : number);

export const numberOfProtection = (protection: DefaultBranchProtection): number =>
  PROTECTIONS[protection];

/** @returns the text of a number that is none, which the rules of the settings refuse */
export const protectionOfNumber = (number: number): DefaultBranchProtection =>
  nameOf(PROTECTIONS, number);

function nameOf<Name extends string>(
  numbers: Readonly<Record<Name, number>>,
  number: number,
): Name {
  const names = Object.keys(numbers) as Name[];
  return names.find((name) => numbers[name] === number) ?? (String(number) as Name);
}
