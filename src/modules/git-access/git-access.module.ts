import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { SettingsModule } from '../settings/index.js';
import { StorageModule } from '../storage/index.js';
import { GitHttpController } from './http/git-http.controller.js';
import { GitHttpService } from './http/git-http.service.js';
import { RepositoryAccess } from './repository-access.js';
import { HostKeys } from './ssh/host-keys.js';
import { SshAuthentication } from './ssh/ssh-authentication.js';
import { SshCommandRunner } from './ssh/ssh-command-runner.js';
import { SshLimits } from './ssh/ssh-connection.js';
import { SshServer } from './ssh/ssh-server.js';
import { TransportSlots } from './transport-slots.js';

@Module({
  imports: [ProjectsModule, RepositoryModule, SettingsModule, StorageModule],
  controllers: [GitHttpController],
  providers: [
    GitHttpService,
    HostKeys,
    RepositoryAccess,
    SshAuthentication,
    SshCommandRunner,
    SshLimits,
    SshServer,
    TransportSlots,
  ],
})
export class GitAccessModule {}
