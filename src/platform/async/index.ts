export { Batches, type BatchOptions } from './batches.js';
export { Deferred } from './deferred.js';
