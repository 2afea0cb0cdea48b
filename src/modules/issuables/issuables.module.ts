import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { InternalIds } from './internal-ids.js';
import { IssuableKinds } from './issuable-kinds.js';
import { SystemNotes } from './notes/system-notes.js';

/** What issues and merge requests share. */
@Module({
  imports: [ProjectsModule, RepositoryModule],
  providers: [InternalIds, IssuableKinds, SystemNotes],
  exports: [InternalIds, IssuableKinds, SystemNotes],
})
export class IssuablesModule {}
