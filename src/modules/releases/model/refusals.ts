import { DomainError } from '../../../platform/errors/index.js';

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    /** The project has no milestones of these titles or IDs. */
    releases: { readonly code: 'milestones-missing'; readonly named: readonly string[] };
  }

  interface Records {
    releases: 'release' | 'release-link';
  }

  interface FieldRules {
    releases: 'not-an-asset-address';
  }
}

export const milestonesMissing = (named: readonly string[]): DomainError =>
  new DomainError({ code: 'milestones-missing', named });
