export { GroupsModule } from './groups.module.js';
export { Namespace } from './namespace.entity.js';
export { NamespacesRepository } from './namespaces.repository.js';
