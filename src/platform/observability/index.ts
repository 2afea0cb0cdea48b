export { createLogger } from './logger.js';
export { NestLogger } from './nest-logger.js';
export { redactUrl } from './redact-url.js';
export { noteCaller, noteFailure, requestLog } from './request-log.js';
