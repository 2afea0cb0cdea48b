export { ClientDisconnectedError } from './client-disconnected.js';
export { DomainError } from './domain-error.js';
export type {
  DetailOf,
  ErrorCode,
  ErrorDetail,
  FieldTexts,
  UnprocessableBody,
} from './error-detail.js';
export * from './factories.js';
export type { Resource } from './resources.js';
