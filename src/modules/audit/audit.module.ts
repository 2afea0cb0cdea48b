import { Global, Module } from '@nestjs/common';
import { AuditEventsController } from './audit-events.controller.js';
import { AuditEventsService } from './audit-events.service.js';
import { AuditEventsRepository } from './model/audit-events.repository.js';
import { AuditLog } from './recording/audit-log.repository.js';
import { FailedSignIns } from './recording/failed-sign-ins.js';
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
    FailedSignIns,
    SudoListener,
    TrimAuditEventsJob,
  ],
  exports: [AuditEventsService, AuditLog, FailedSignIns],
})
export class AuditModule {}
