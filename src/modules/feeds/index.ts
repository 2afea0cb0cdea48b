export { FeedsModule } from './feeds.module.js';
export {
  type EventTarget,
  type EventTargetProvider,
  type EventVisibility,
  ProvidesEventTargets,
  type TargetNote,
  type TargetSource,
} from './event-targets.js';
export { COMMIT_NOTE } from './feeds.repository.js';
