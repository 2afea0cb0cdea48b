import { Global, Module } from '@nestjs/common';
import { AuditEventsController } from './v3/audit-events.controller.js';
import { AuditEventsService } from './audit-events.service.js';
import { AuditEventsRepository } from './model/audit-events.repository.js';
import { AuditLog } from './recording/audit-log.repository.js';
import { SignIns } from './recording/sign-ins.js';
import { SudoListener } from './sudo.listener.js';
import { TrimAuditEventsJob } from './trim-audit-events.job.js';

/** Global, because all rooms above record. */
@Global()
@Module({
  controllers: [AuditEventsController],
  providers: [
    AuditEventsRepository,
    AuditEventsService,
    AuditLog,
    SignIns,
    SudoListener,
    TrimAuditEventsJob,
  ],
  exports: [AuditEventsService, AuditLog, SignIns],
})
export class AuditModule {}
