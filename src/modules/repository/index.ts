export { ProtectedBranch } from './protection/protected-branch.entity.js';
export { PushIntent } from './pushes/push-intent.entity.js';
export { PushRecovery } from './pushes/push-recovery.js';
export { type GitStreams, ReceivePush } from './pushes/receive-push.js';
export { RepositoryModule } from './repository.module.js';
