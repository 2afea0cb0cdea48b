import { Module } from '@nestjs/common';
import { ClusterModule } from '../cluster/index.js';
import { DiskProbe } from './disk-probe.js';
import { ProcessHeartbeat } from './process-heartbeat.js';
import { ProcessStatisticsRepository } from './process-statistics.repository.js';
import { TrimProcessStatisticsJob } from './trim-statistics.job.js';
import { WriteProbe } from './write-probe.js';

/** What the processes of the instance did in the last day, and the room on file systems. */
@Module({
  imports: [ClusterModule],
  providers: [
    DiskProbe,
    ProcessHeartbeat,
    ProcessStatisticsRepository,
    TrimProcessStatisticsJob,
    WriteProbe,
  ],
  exports: [DiskProbe, ProcessHeartbeat, ProcessStatisticsRepository, WriteProbe],
})
export class MonitoringModule {}
