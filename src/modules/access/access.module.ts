import { Global, Module } from '@nestjs/common';
import { DownloadSlots } from './guards/download.guard.js';
import { GroupAccessRepository } from './group-access/group-access.repository.js';
import { ProjectAccessRepository } from './project-access/project-access.repository.js';
import { ProjectReadersRepository } from './project-access/project-readers.repository.js';

/** Global, because the guards stand before every controller. */
@Global()
@Module({
  providers: [
    DownloadSlots,
    GroupAccessRepository,
    ProjectAccessRepository,
    ProjectReadersRepository,
  ],
  exports: [
    DownloadSlots,
    GroupAccessRepository,
    ProjectAccessRepository,
    ProjectReadersRepository,
  ],
})
export class AccessModule {}
