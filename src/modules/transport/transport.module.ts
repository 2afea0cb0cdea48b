import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { SettingsModule } from '../settings/index.js';
import { GitAuthorization } from './http/git-authorization.js';
import { GitHttpController } from './http/git-http.controller.js';
import { GitHttpService } from './http/git-http.service.js';
import { RepositoryAccess } from './shared/repository-access.js';
import { TransportSlots } from './shared/transport-slots.js';
import { HostKeys } from './ssh/host-keys.js';
import { SshAuthentication } from './ssh/ssh-authentication.js';
import { SshCommandRunner } from './ssh/ssh-command-runner.js';
import { SshLimits } from './ssh/ssh-limits.js';
import { SshServer } from './ssh/ssh-server.js';

@Module({
  imports: [ProjectsModule, RepositoryModule, SettingsModule],
  controllers: [GitHttpController],
  providers: [
    GitAuthorization,
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
export class TransportModule {}
