import { DomainError } from '../../../platform/errors/index.js';
import type { HookFlaw } from './hook-secrets.js';
import type { SampleKind } from './hook.entity.js';

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    hooks:
      | { readonly code: 'invalid-hook-url' }
      | { readonly code: 'invalid-system-hook-url' }
      | { readonly code: 'invalid-hook-setting'; readonly setting: HookSetting }
      /** The receiver of a test delivery, or of one that was sent again, did not respond with success. */
      | { readonly code: 'delivery-failed'; readonly answer: string }
      /** The project has nothing that a test delivery of the kind could be about. */
      | { readonly code: 'nothing-to-sample'; readonly kind: SampleKind }
      | { readonly code: 'too-many-hooks'; readonly limit: number };
  }

  interface Records {
    hooks: 'delivery' | 'hook' | 'custom-header';
  }

  interface Resources {
    hooks: 'system-hook';
  }
}

/** Settings that can be unacceptable by themselves. */
export type HookSetting = 'branch-filter' | 'custom-headers' | 'token';

export const invalidHookSetting = (setting: HookSetting): DomainError =>
  new DomainError({ code: 'invalid-hook-setting', setting });

/** @throws DomainError for a flaw */
export function assertFlawless<Values extends object>(values: Values | HookFlaw): Values {
  if (values === 'url') throw invalidHookUrl();
  if (values === 'custom-headers') throw invalidHookSetting(values);
  return values;
}

export const deliveryFailed = (answer: string): DomainError =>
  new DomainError({ code: 'delivery-failed', answer });

export const invalidSystemHookUrl = (): DomainError =>
  new DomainError({ code: 'invalid-system-hook-url' });

export const invalidHookUrl = (): DomainError => new DomainError({ code: 'invalid-hook-url' });

export const nothingToSample = (kind: SampleKind): DomainError =>
  new DomainError({ code: 'nothing-to-sample', kind });

export const tooManyHooks = (limit: number): DomainError =>
  new DomainError({ code: 'too-many-hooks', limit });
