import { DomainError } from '../../../platform/errors/index.js';

/** What is unique to an account. */
export type UniqueUserField = 'email' | 'username';

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    users:
      | {
          readonly code: 'account-taken';
          readonly field: UniqueUserField;
          readonly action: 'create' | 'update';
        }
      /** A directory has blocked the account. */
      | { readonly code: 'directory-blocked'; readonly action: 'block' | 'unblock' }
      /** There would be no active administrator. */
      | { readonly code: 'last-administrator' };
  }

  interface Resources {
    users: 'email' | 'key' | 'user';
  }

  interface FieldRules {
    users:
      | 'domain-not-allowed'
      | 'domain-not-authorized'
      | 'last-administrator'
      | 'not-a-key'
      | 'several-lines'
      | 'username-form';
  }
}

/** Another account has the address or name. */
export const accountTaken = (field: UniqueUserField, action: 'create' | 'update'): DomainError =>
  new DomainError({ code: 'account-taken', field, action });

export const directoryBlocked = (action: 'block' | 'unblock'): DomainError =>
  new DomainError({ code: 'directory-blocked', action });

export const lastAdministrator = (): DomainError => new DomainError({ code: 'last-administrator' });
