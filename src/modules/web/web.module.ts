import { Module } from '@nestjs/common';
import { AssetsController } from './html/assets.controller.js';
import { PageSender } from './html/page-sender.js';
import { GroupsModule } from '../groups/index.js';
import { IssuablesModule } from '../issuables/index.js';
import { IssuesModule } from '../issues/index.js';
import { MergeRequestsModule } from '../merge-requests/index.js';
import { ProjectsModule } from '../projects/index.js';
import { ReleasesModule } from '../releases/index.js';
import { RepositoryModule } from '../repository/index.js';
import { CommitPagesController } from './pages/commits/commits.controller.js';
import { PatchesController } from './pages/commits/patches.controller.js';
import { Documents } from './pages/help/documents.js';
import { HelpController } from './pages/help/help.controller.js';
import { IssuablePagesController } from './pages/issuables/issuables.controller.js';
import { NamespacePagesController } from './pages/namespaces/namespaces.controller.js';
import { PageAccess } from './pages/parts/page-access.js';
import { ProjectPagesController } from './pages/projects/projects.controller.js';
import { ReleasePagesController } from './pages/releases/releases.controller.js';
import { StartController } from './pages/start/start.controller.js';
import { ErrorPages } from './sign-in/error-pages.js';
import { PageReaders } from './sign-in/page-readers.js';
import { SessionCookies } from './sign-in/session-cookies.js';
import { SignInController } from './sign-in/sign-in.controller.js';

/** Pages for browsers. */
@Module({
  // As the rooms below import them: openapi.json has fields in the order in which modules are loaded.
  imports: [
    IssuablesModule,
    IssuesModule,
    MergeRequestsModule,
    ProjectsModule,
    ReleasesModule,
    RepositoryModule,
    GroupsModule,
  ],
  controllers: [
    AssetsController,
    SignInController,
    StartController,
    HelpController,
    // Before those whose paths have more parameters.
    ReleasePagesController,
    CommitPagesController,
    IssuablePagesController,
    NamespacePagesController,
    PatchesController,
    ProjectPagesController,
  ],
  providers: [Documents, ErrorPages, PageAccess, PageReaders, PageSender, SessionCookies],
  exports: [PageReaders, PageSender],
})
export class WebModule {}
