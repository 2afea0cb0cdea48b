import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { SettingsModule } from '../settings/index.js';
import { GitAuthorization } from './git-authorization.js';
import { GitHttpController } from './git-http.controller.js';
import { GitHttpService } from './git-http.service.js';
import { RepositoryAccess } from './repository-access.js';
import { HostKeys } from './ssh/host-keys.js';
import { SshCallers } from './ssh/ssh-callers.js';
import { SshCommands } from './ssh/ssh-commands.js';
import { SshConversation } from './ssh/ssh-conversation.js';
import { SshLimits } from './ssh/ssh-limits.js';
import { SshServer } from './ssh/ssh-server.js';
import { SshSignIn } from './ssh/ssh-sign-in.js';
import { TransportSlots } from './transport-slots.js';

@Module({
  imports: [ProjectsModule, RepositoryModule, SettingsModule],
  controllers: [GitHttpController],
  providers: [
    GitAuthorization,
    GitHttpService,
    HostKeys,
    RepositoryAccess,
    SshCallers,
    SshCommands,
    SshConversation,
    SshLimits,
    SshServer,
    SshSignIn,
    TransportSlots,
  ],
})
export class TransportModule {}
