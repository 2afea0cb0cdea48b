import { Global, Module } from '@nestjs/common';
import { GroupAccessRepository } from './group-access.repository.js';
import { DownloadSlots } from './guards/download.guard.js';
import { ProjectAccessRepository } from './project-access.repository.js';
import { ProjectReadersRepository } from './project-readers.repository.js';

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
