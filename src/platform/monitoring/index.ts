export { describeFileError, type DiskReport, formatBytes, probeDisk } from './disk.js';
export { DiskProbe, type DiskSilence } from './disk-probe.js';
export { adviceFor, describeFileSystem, type FileSystem, findFileSystems } from './file-systems.js';
export { MonitoringModule } from './monitoring.module.js';
export { ProcessHeartbeat, STATISTICS_PERIOD_MS } from './process-heartbeat.js';
export { ProcessStatistics } from './process-statistics.entity.js';
export {
  type InstanceStatistics,
  ProcessStatisticsRepository,
} from './process-statistics.repository.js';
export { TrimProcessStatisticsJob, trimProcessStatistics } from './trim-statistics.job.js';
export { WriteProbe } from './write-probe.js';
