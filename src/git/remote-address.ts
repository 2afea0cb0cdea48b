import { InvalidArgumentError } from './errors.js';

/** Whole and without user name, password, query and fragment, so that it may be seen by anybody. */
const ADDRESS = /^(?:https?|git|ssh):\/\/[^\s\p{Cc}@/?#-][^\s\p{Cc}@/?#]*\/[^\s\p{Cc}?#]+$/u;

/** An address that git may be told on its command line. */
export function assertRemoteAddress(address: string): string {
  if (!ADDRESS.test(address)) throw new InvalidArgumentError('Not an address of a repository');
  return address;
}
