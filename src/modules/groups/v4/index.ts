export { toV4GroupChanges, V4UpdateGroupDto } from './group.dto.js';
export { presentV4Group, V4GroupView } from './group.view.js';
export { presentV4Namespace } from './namespace.view.js';
