export {
  ClientDisconnectedError,
  type DetailOf,
  DomainError,
  type ErrorCode,
} from './domain-error.js';
export * from './factories.js';
// All of it, since rooms add to its interfaces.
export type * from './refusals.js';
export { fileErrorText } from './file-error-text.js';
export { isStoreTrouble, STORE_RETRY_SECONDS, storeRefusal } from './store-trouble.js';
