export { toGroupChanges, UpdateGroupDto } from './group.dto.js';
export { GroupView, presentGroup } from './group.view.js';
