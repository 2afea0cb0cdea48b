import { Module } from '@nestjs/common';
import { ProcessLease } from './process-lease.js';
import { ProcessesRepository } from './processes.repository.js';

/** The processes of the instance and their leases. */
@Module({
  providers: [ProcessLease, ProcessesRepository],
  exports: [ProcessLease, ProcessesRepository],
})
export class ClusterModule {}
