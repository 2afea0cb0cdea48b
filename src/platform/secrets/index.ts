export { hashPassword, verifyPassword } from './password.js';
export { loadSecretKey, randomToken, Secrets } from './secrets.js';
export { WrongKeyError } from './wrong-key-error.js';
