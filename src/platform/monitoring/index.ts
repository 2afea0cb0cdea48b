export { type DiskReport, formatBytes, probeDisk } from './disk.js';
export { DiskProbe, type DiskSilence } from './disk-probe.js';
export { MonitoringModule } from './monitoring.module.js';
export { ProcessHeartbeat } from './process-heartbeat.js';
export { ProcessSample } from './process-sample.entity.js';
export {
  type InstanceSample,
  type ListedProcess,
  ProcessesRepository,
} from './processes.repository.js';
export { type ProcessRole, RunningProcess } from './running-process.entity.js';
export { TrimProcessSamplesJob, trimProcessSamples } from './trim-samples.job.js';
