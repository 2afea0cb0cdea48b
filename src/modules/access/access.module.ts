import { Global, Module } from '@nestjs/common';
import { GroupAccessRepository } from './group-access.repository.js';
import { DownloadSlots } from './guards/download.guard.js';
import { ProjectAccessRepository } from './project-access.repository.js';

/** Global, because the guards stand before every controller. */
@Global()
@Module({
  providers: [DownloadSlots, GroupAccessRepository, ProjectAccessRepository],
  exports: [DownloadSlots, GroupAccessRepository, ProjectAccessRepository],
})
export class AccessModule {}
