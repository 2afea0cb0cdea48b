export { GroupsModule } from './groups.module.js';
export { GroupMember } from './members/group-member.entity.js';
export { Namespace } from './namespace.entity.js';
export { NamespacesRepository } from './namespaces.repository.js';
