import { violatedUnique } from '../../platform/database/index.js';
import { type DomainError, invalidRecord } from '../../platform/errors/index.js';

export const EMAIL_TAKEN = 'Email has already been taken';
const USERNAME_TAKEN = 'Username has already been taken';

/** The unique indexes that an account and its personal namespace may run into. */
const TAKEN: Readonly<Record<string, string>> = {
  users_email_key: EMAIL_TAKEN,
  users_username_key: USERNAME_TAKEN,
  namespaces_path_key: USERNAME_TAKEN,
};

/**
 * What a failed write of an account is to be answered with; any other error comes back as it is.
 * @param refuse how the endpoint spells a conflict (open points 4.3)
 */
export function conflictOf(error: unknown, refuse: (reason: string) => DomainError): unknown {
  const index = violatedUnique(error) ?? '';
  if (index === 'identities_extern_uid_key') {
    return invalidRecord({ extern_uid: ['has already been taken'] });
  }
  const reason = TAKEN[index];
  return reason === undefined ? error : refuse(reason);
}
