/** The worker stops before the job has ended; another worker will run it. */
export class WorkerStoppingError extends Error {
  override readonly name = 'WorkerStoppingError';
}

/** The worker was taken for dead, so that another one has the job already, or soon will. */
export class WorkerFencedError extends WorkerStoppingError {
  constructor() {
    super('The process has lost its lease');
  }
}
