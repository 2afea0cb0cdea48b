export { describeFileError, type DiskReport, formatBytes, probeDisk } from './disk.js';
export { DiskProbe, type DiskSilence } from './disk-probe.js';
export { adviceFor, describeFileSystem, type FileSystem, findFileSystems } from './file-systems.js';
export { MonitoringModule } from './monitoring.module.js';
export { ProcessHeartbeat, STATISTICS_PERIOD_MS } from './process-heartbeat.js';
export { ProcessIdentity } from './process-identity.js';
export { ProcessLease } from './process-lease.js';
export { ProcessStatistics } from './process-statistics.entity.js';
export {
  type InstanceStatistics,
  type LeaseOwner,
  type ListedProcess,
  ProcessesRepository,
} from './processes.repository.js';
export { type ProcessRole, RunningProcess } from './running-process.entity.js';
export { describeUnattended, findUnattendedJobs } from './unattended-jobs.query.js';
export { TrimProcessStatisticsJob, trimProcessStatistics } from './trim-statistics.job.js';
export { WriteProbe } from './write-probe.js';
