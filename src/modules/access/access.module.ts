import { Global, Module } from '@nestjs/common';
import { ProjectAccessRepository } from './project-access.repository.js';

/** Global, because the guards stand before every controller. */
@Global()
@Module({ providers: [ProjectAccessRepository], exports: [ProjectAccessRepository] })
export class AccessModule {}
