import { DomainError } from '../../platform/errors/index.js';

declare module '../../platform/errors/index.js' {
  interface Refusals {
    authorization:
      /** Only administrators act as other accounts. */
      | { readonly code: 'sudo-not-permitted' }
      /** There is no account to act as. */
      | { readonly code: 'sudo-target-missing'; readonly idOrUsername: string };
  }

  interface Resources {
    authorization: 'group' | 'project';
  }
}

export const sudoNotPermitted = (): DomainError => new DomainError({ code: 'sudo-not-permitted' });

export const sudoTargetMissing = (idOrUsername: string): DomainError =>
  new DomainError({ code: 'sudo-target-missing', idOrUsername });
