export {
  ProjectPayloadBuilder,
  PushProjectView,
  PushRepositoryView,
} from './project-payload.view.js';
export { BriefProjectView, ProjectPresenter } from './project.view.js';
