import type { DomainError } from '../../errors/index.js';
import type { RawParameters } from './request-parameters.js';

/**
 * What could be read of a query string or body, and the first thing wrong with it. What is right is
 * kept: a credential among it still says who is told about the problem.
 */
export interface Parsed {
  readonly parameters: RawParameters;
  readonly problem: DomainError | undefined;
}
