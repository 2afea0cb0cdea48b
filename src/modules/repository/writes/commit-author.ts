import { plainIdentity, type Signature } from '../../../git/index.js';
import type { User } from '../../users/index.js';

export interface GivenAuthor {
  name?: string | undefined;
  email?: string | undefined;
}

/** The caller as committer of this moment. */
export function committerOf({ name, username, email }: User): Signature {
  return {
    name: plainIdentity(name) || username,
    email: plainIdentity(email),
    date: new Date(),
    timezone: '+0000',
  };
}

/**
 * What is given of an author; the rest comes from the committer
 * (docs/reference/commits.md#post-projectsidrepositorycommits).
 */
export function authorOf(committer: Signature, given: GivenAuthor): Signature {
  return {
    ...committer,
    name: plainIdentity(given.name ?? '') || committer.name,
    email: plainIdentity(given.email ?? '') || committer.email,
  };
}
