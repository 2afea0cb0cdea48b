export { AttachedValue } from './attached-value.js';
export { BackgroundLoop } from './background-loop.js';
export { Batches, type BatchOptions } from './batches.js';
export { CallContext, currentWorkKind, runAs, setUsualWorkKind } from './call-context.js';
export { type CallScope, currentScope, runInScope } from './call-scope.js';
export { Deferred, settlesWithin, untilAborted } from './promises.js';
export { runPaced } from './paced-steps.js';
