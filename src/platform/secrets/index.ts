export { hashPassword, verifyPassword } from './password.js';
export { randomToken } from './random-token.js';
export { Secrets } from './secrets.js';
