import { allProcesses, descendantsOf, processTimes } from '../scripts/processes.mjs';

/**
 * Milliseconds of processor time that all processes below this one have taken so far, ended ones
 * included, this one left out: services, database and git, but not the making of requests.
 * Undefined where the system does not say.
 */
export function cpuMsOfDescendants() {
  const self = processTimes(process.pid);
  if (self === undefined) return undefined;
  const descendants = descendantsOf(process.pid, allProcesses());
  return descendants.reduce((sum, { ownMs, reapedMs }) => sum + ownMs + reapedMs, self.reapedMs);
}
