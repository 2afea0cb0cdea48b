import { PasswordHashing } from '../../src/platform/secrets/password.js';

/**
 * Stands in the place of the service's own two functions in end-to-end tests: they make thousands of
 * accounts, of each of which the hash would take a third of a second of a processor.
 */
const hashing = new PasswordHashing({ N: 256, r: 8, p: 1 });

export const { hash: hashPassword, verify: verifyPassword } = hashing;
