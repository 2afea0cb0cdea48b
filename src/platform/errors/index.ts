export {
  ClientDisconnectedError,
  type DetailOf,
  DomainError,
  type ErrorCode,
  type ErrorDetail,
  type FieldTexts,
  type Resource,
  type UnprocessableBody,
} from './domain-error.js';
export * from './factories.js';
