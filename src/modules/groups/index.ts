export { GroupCreated, GroupRemoved, NamespaceDeleted } from './group.events.js';
export { GroupsModule } from './groups.module.js';
export { GroupsService } from './groups.service.js';
export { Namespace } from './namespaces/namespace.entity.js';
export { NamespacesService } from './namespaces/namespaces.service.js';
export { NamespacesRepository } from './namespaces/namespaces.repository.js';
