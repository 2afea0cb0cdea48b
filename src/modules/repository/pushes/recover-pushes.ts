import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { recoverPushes } from '../repository.jobs.js';
import { PushRecovery } from './push-recovery.js';

@Injectable()
@HandlesJob(recoverPushes)
export class RecoverPushes implements JobHandler {
  constructor(private readonly recovery: PushRecovery) {}

  handle(): Promise<void> {
    return this.recovery.recoverAll();
  }
}
