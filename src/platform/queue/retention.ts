/**
 * What the queue keeps of jobs that have ended. Succeeded ones go at once: the queue ignores ids
 * that it holds, which guards a job against being handed over twice until it has ended, and from
 * then on its row does, which was deleted before: no row, nothing to hand over and nothing to run.
 * (Keeping them would cost: in PostgreSQL, BullMQ goes through all kept ones whenever a job ends.)
 * Failed ones stay for a day, at most so many: for people who look into the queue, and for the sweep
 * to tell a job that took its workers down from one that got lost.
 */
export const RETENTION = {
  removeOnComplete: true,
  removeOnFail: { age: 24 * 3_600, count: 200 },
};
