import { DomainError } from '../../platform/errors/index.js';
import { refusalTexts } from '../refusal-texts.js';

/** Returns the refusal of a service in words, in one line; null for any other error. */
export const refusalText = (error: unknown): string | null =>
  error instanceof DomainError ? refusalTexts(error).join('; ') : null;
