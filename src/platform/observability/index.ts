export { createLogger } from './logger.js';
export { NestLogger } from './nest-logger.js';
export { redactSecrets, redactText } from './redact-secrets.js';
export { redactUrl } from './redact-url.js';
export { isProbe, noteCaller, noteFailure, requestLog } from './request-log.js';
