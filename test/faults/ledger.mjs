// What was written and what was answered: the checks hold deliveries to it.

export class Ledger {
  /** By what was written, such as `issue a` or `group b`. */
  writes = new Map();
  acknowledged = 0;
  unanswered = 0;
  problems = [];

  /** @param tells the events by the names of the receivers that are to be told of them */
  begin(name, tells) {
    const write = { name, tells, isAcknowledged: false, begunAt: performance.now() };
    this.writes.set(name, write);
    return write;
  }

  acknowledge(write) {
    write.isAcknowledged = true;
    this.acknowledged += 1;
  }

  /** Whether it was done is seen when all is at rest. */
  leave() {
    this.unanswered += 1;
  }

  /** How many were done and yet not acknowledged. */
  doneUnanswered(written) {
    const writes = [...this.writes.values()];
    return writes.filter(({ name, isAcknowledged }) => !isAcknowledged && written.has(name)).length;
  }
}
