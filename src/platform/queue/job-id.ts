/** Which hand-over of which outbox row a job in the queue stands for. */
export interface OutboxReference {
  readonly id: string;
  readonly round: number;
}

const JOB_ID = /^outbox-(\d{1,19})-(\d{1,9})$/;

/**
 * The job's id in the queue. The queue ignores a job whose id it has, which guards the moment
 * between handing a row over and recording that: whoever repeats it uses the same id. A row that is
 * given back (another attempt, a lost job) gets a new round and so an id that nobody has seen. Once
 * the queue has forgotten a finished job, it is the row that guards: no row of that round, no run.
 */
export function jobIdOf({ id, round }: OutboxReference): string {
  return `outbox-${id}-${round}`;
}

/** The row behind a job's id; undefined for jobs that have none. */
export function parseJobId(jobId: string): OutboxReference | undefined {
  const [, id, round] = JOB_ID.exec(jobId) ?? [];
  return id === undefined ? undefined : { id, round: Number(round) };
}
