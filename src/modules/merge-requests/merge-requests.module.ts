import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { IssuesModule } from '../issues/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { ACCEPT_CONTROLLERS, ACCEPT_PROVIDERS } from './accept/providers.js';
import { AWARD_CONTROLLERS, AWARD_PROVIDERS } from './awards/providers.js';
import { CLOSING_PROVIDERS } from './closing/providers.js';
import { NOTE_CONTROLLERS } from './notes/providers.js';
import { MERGE_REQUEST_CONTROLLERS, MERGE_REQUEST_PROVIDERS } from './providers.js';
import { REFRESH_PROVIDERS } from './refresh/providers.js';
import { VERSION_CONTROLLERS, VERSION_PROVIDERS } from './versions/providers.js';
import { MergeRequestWritesController } from './writes/merge-request-writes.controller.js';
import { WRITE_PROVIDERS } from './writes/providers.js';

@Module({
  imports: [IssuablesModule, IssuesModule, ProjectsModule, RepositoryModule],
  controllers: [
    ...ACCEPT_CONTROLLERS,
    ...AWARD_CONTROLLERS,
    ...MERGE_REQUEST_CONTROLLERS,
    ...NOTE_CONTROLLERS,
    MergeRequestWritesController,
    ...VERSION_CONTROLLERS,
  ],
  providers: [
    ...ACCEPT_PROVIDERS,
    ...AWARD_PROVIDERS,
    ...CLOSING_PROVIDERS,
    ...MERGE_REQUEST_PROVIDERS,
    ...REFRESH_PROVIDERS,
    ...VERSION_PROVIDERS,
    ...WRITE_PROVIDERS,
  ],
})
export class MergeRequestsModule {}
