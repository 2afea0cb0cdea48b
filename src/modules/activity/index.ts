export { type Activity, type ActivityAction, ActivityLog } from './activity-log.repository.js';
export { ActivityModule } from './activity.module.js';
export { ActivityEvent } from './event.entity.js';
export { checkoutSha, type PushedCommit, type PushedRef } from './pushed-ref.js';
