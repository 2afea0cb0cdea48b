export { BackgroundLoop } from './background-loop.js';
export { Batches, type BatchOptions } from './batches.js';
export { CallContext } from './call-context.js';
export { Deferred } from './deferred.js';
export { runPaced } from './paced-steps.js';
export { settlesWithin, untilAborted } from './time-limit.js';
export { currentWorkKind, runAs, type WorkKind } from './work-kind.js';
