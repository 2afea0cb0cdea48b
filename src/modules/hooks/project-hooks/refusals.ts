import { DomainError } from '../../../platform/errors/index.js';
import type { SampleKind } from '../payloads/hook-payloads.js';

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    hooks:
      | { readonly code: 'invalid-hook-url' }
      /** The project has nothing that a test delivery of the kind could be about. */
      | { readonly code: 'nothing-to-sample'; readonly kind: SampleKind }
      | { readonly code: 'too-many-hooks'; readonly limit: number };
  }

  interface Records {
    hooks: 'delivery' | 'hook';
  }

  interface Resources {
    hooks: 'system-hook';
  }
}

export const invalidHookUrl = (): DomainError => new DomainError({ code: 'invalid-hook-url' });

export const nothingToSample = (kind: SampleKind): DomainError =>
  new DomainError({ code: 'nothing-to-sample', kind });

export const tooManyHooks = (limit: number): DomainError =>
  new DomainError({ code: 'too-many-hooks', limit });
