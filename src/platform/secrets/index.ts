export { hashPassword, verifyPassword } from './password.js';
export { INSTANCE_KEY_FILE, keyFromText, loadSecretKey, randomToken, Secrets } from './secrets.js';
export { WrongKeyError } from './wrong-key-error.js';
