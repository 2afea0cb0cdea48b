import { Global, Module } from '@nestjs/common';
import { GroupAccessRepository } from './group-access.repository.js';
import { ProjectAccessRepository } from './project-access.repository.js';
import { ProjectReadersRepository } from './project-readers.repository.js';

/** Global, because the guards stand before every controller. */
@Global()
@Module({
  providers: [GroupAccessRepository, ProjectAccessRepository, ProjectReadersRepository],
  exports: [GroupAccessRepository, ProjectAccessRepository, ProjectReadersRepository],
})
export class AccessModule {}
