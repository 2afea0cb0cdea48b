import type { GitObserver } from '../git/index.js';
import {
  exceededBudgets,
  gitOperations,
  gitProcessDuration,
  gitProcessWait,
  gitTransferredBytes,
  startedGitProcesses,
} from '../platform/metrics/index.js';
import { spanOf } from '../platform/tracing/index.js';

/** Counts and traces what git costs: `src/git` itself knows neither metrics nor traces. */
export const gitObserver: GitObserver = {
  started: (command, isLongLived) => {
    startedGitProcesses.inc({ command });
    // It serves others after the request that needs it first.
    if (isLongLived) return () => undefined;
    const span = spanOf(() => [`git ${command}`, { kind: 'internal' }]);
    const stopTimer = gitProcessDuration.startTimer({ command });
    return (failure) => {
      stopTimer();
      span?.end(failure);
    };
  },
  asked: (command) => {
    const span = spanOf(() => [`git ${command}`, { kind: 'internal' }]);
    return span === undefined ? undefined : (failure) => span.end(failure);
  },
  admitted: (kind, waitedMs) => gitProcessWait.observe({ kind }, waitedMs / 1000),
  conversed: ({ service, isStateless, operation, receivedBytes, sentBytes }) => {
    const protocol = isStateless ? 'http' : 'ssh';
    if (operation !== null) gitOperations.inc({ operation, protocol });
    gitTransferredBytes.inc({ service, protocol, direction: 'received' }, receivedBytes);
    gitTransferredBytes.inc({ service, protocol, direction: 'sent' }, sentBytes);
  },
  exceeded: (budget) => exceededBudgets.inc({ budget }),
};
