/** The worker stops before the job has ended; another worker will run it. */
export class WorkerStoppingError extends Error {
  override readonly name = 'WorkerStoppingError';
}
