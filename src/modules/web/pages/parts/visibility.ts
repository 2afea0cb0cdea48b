import { Visibility } from '../../../authorization/index.js';

const NAMES: Readonly<Record<number, string>> = {
  [Visibility.PRIVATE]: 'private',
  [Visibility.INTERNAL]: 'internal',
  [Visibility.PUBLIC]: 'public',
};

export const visibilityName = (level: number): string => NAMES[level] ?? String(level);
