export {
  ClientDisconnectedError,
  type DetailOf,
  DomainError,
  type ErrorCode,
  type FieldTexts,
  type Resource,
} from './domain-error.js';
export * from './factories.js';
export { fileErrorText } from './file-error-text.js';
export { isStoreTrouble, STORE_RETRY_SECONDS, storeRefusal } from './store-trouble.js';
