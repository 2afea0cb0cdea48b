import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { SettingsModule } from '../settings/index.js';
import { GitAuthorization } from './git-authorization.js';
import { GitHttpController } from './git-http.controller.js';
import { GitHttpService } from './git-http.service.js';

@Module({
  imports: [ProjectsModule, RepositoryModule, SettingsModule],
  controllers: [GitHttpController],
  providers: [GitAuthorization, GitHttpService],
})
export class TransportModule {}
