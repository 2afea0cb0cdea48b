import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { IssuesModule } from '../issues/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { MERGE_REQUEST_CONTROLLERS, MERGE_REQUEST_PROVIDERS } from './providers.js';
import { MergeRequestWritesController } from './writes/merge-request-writes.controller.js';
import { WRITE_PROVIDERS } from './writes/providers.js';
import { VERSION_PROVIDERS } from './versions/providers.js';

@Module({
  imports: [IssuablesModule, IssuesModule, ProjectsModule, RepositoryModule],
  controllers: [...MERGE_REQUEST_CONTROLLERS, MergeRequestWritesController],
  providers: [...WRITE_PROVIDERS, ...MERGE_REQUEST_PROVIDERS, ...VERSION_PROVIDERS],
})
export class MergeRequestsModule {}
