import { Module } from '@nestjs/common';
import { NamespacesRepository } from './namespaces.repository.js';
import { PersonalNamespaces } from './personal-namespaces.js';

@Module({
  providers: [NamespacesRepository, PersonalNamespaces],
  exports: [NamespacesRepository],
})
export class GroupsModule {}
