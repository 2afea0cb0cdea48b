import { Global, Module } from '@nestjs/common';
import { GroupAccessRepository } from './model/group-access.repository.js';
import { AbilityGuard } from './guards/ability.guard.js';
import { CallerGuard } from './guards/caller.guard.js';
import { DownloadSlots } from './guards/download.guard.js';
import { ProjectAccessRepository } from './model/project-access.repository.js';
import { WideLists } from './wide-lists.js';
import { authorizationAnswers } from './v3/refusals.js';
import { v4AuthorizationAnswers } from './v4/refusals.js';

const PROVIDERS = [
  AbilityGuard,
  CallerGuard,
  DownloadSlots,
  GroupAccessRepository,
  ProjectAccessRepository,
  WideLists,
];

/** Global, because the guards stand before every controller. */
@Global()
@Module({
  providers: [...PROVIDERS, authorizationAnswers, v4AuthorizationAnswers],
  exports: PROVIDERS,
})
export class AuthorizationModule {}
