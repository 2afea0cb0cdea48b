export { Batches, type BatchOptions } from './batches.js';
export { CallContext } from './call-context.js';
export { Deferred } from './deferred.js';
export { currentWorkKind, runAs, type WorkKind } from './work-kind.js';
