export { ClusterModule } from './cluster.module.js';
export { ProcessIdentity } from './process-identity.js';
export { ProcessLease } from './process-lease.js';
export {
  type ListedProcess,
  ProcessesRepository,
  type ProcessReport,
} from './processes.repository.js';
export { type ProcessRole, RunningProcess } from './running-process.entity.js';
export { describeUnattended, findUnattendedJobs } from './unattended-jobs.query.js';
