import { Module } from '@nestjs/common';
import { issuableControllers, IssuablesModule, RequiresEnabled } from '../issuables/index.js';
import { IssuesModule } from '../issues/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { ACCEPT_CONTROLLERS, ACCEPT_PROVIDERS } from './accept/providers.js';
import { CLOSING_PROVIDERS } from './closing/providers.js';
import { MergeRequestView } from './merge-request.view.js';
import { OldCommentsController } from './notes/old-comments.controller.js';
import { MERGE_REQUEST_CONTROLLERS, MERGE_REQUEST_PROVIDERS } from './providers.js';
import { REFRESH_PROVIDERS } from './refresh/providers.js';
import { VERSION_CONTROLLERS, VERSION_PROVIDERS } from './versions/providers.js';
import { MergeRequestWritesController } from './writes/merge-request-writes.controller.js';
import { WRITE_PROVIDERS } from './writes/providers.js';

/** The controllers of notes, awards, subscriptions and todos. */
const SHARED_CONTROLLERS = issuableControllers({
  type: 'MergeRequest',
  path: 'projects/:id/merge_requests/:merge_request_id',
  idParameter: 'merge_request_id',
  noun: 'merge request',
  oneNoun: 'a merge request',
  ability: 'merge-request:read',
  requiresEnabled: RequiresEnabled('MergeRequest'),
  view: MergeRequestView,
});

@Module({
  imports: [IssuablesModule, IssuesModule, ProjectsModule, RepositoryModule],
  controllers: [
    ...ACCEPT_CONTROLLERS,
    ...SHARED_CONTROLLERS,
    ...MERGE_REQUEST_CONTROLLERS,
    OldCommentsController,
    MergeRequestWritesController,
    ...VERSION_CONTROLLERS,
  ],
  providers: [
    ...ACCEPT_PROVIDERS,
    ...CLOSING_PROVIDERS,
    ...MERGE_REQUEST_PROVIDERS,
    ...REFRESH_PROVIDERS,
    ...VERSION_PROVIDERS,
    ...WRITE_PROVIDERS,
  ],
})
export class MergeRequestsModule {}
