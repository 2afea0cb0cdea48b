import { Module } from '@nestjs/common';
import { DiskProbe } from './disk-probe.js';
import { ProcessHeartbeat } from './process-heartbeat.js';
import { ProcessLease } from './process-lease.js';
import { ProcessesRepository } from './processes.repository.js';
import { TrimProcessStatisticsJob } from './trim-statistics.job.js';
import { WriteProbe } from './write-probe.js';

/** The processes of the instance, what they did in the last day, and the room on file systems. */
@Module({
  providers: [
    DiskProbe,
    ProcessHeartbeat,
    ProcessLease,
    ProcessesRepository,
    TrimProcessStatisticsJob,
    WriteProbe,
  ],
  exports: [DiskProbe, ProcessHeartbeat, ProcessLease, ProcessesRepository, WriteProbe],
})
export class MonitoringModule {}
