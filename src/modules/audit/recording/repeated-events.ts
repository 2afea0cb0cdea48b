import type { AuditRecord } from './audit-log.repository.js';

/** For how long equal events are one entry. */
const PERIOD_MS = 60_000;

interface Repeated {
  /** Of the last event that is not written yet. */
  record: AuditRecord;
  unwritten: number;
  /** When the period began; null where the first event is not written yet. */
  writtenAt: number | null;
}

/** Events of one kind that are to be written, and how many. */
export interface EventCount {
  readonly key: string;
  readonly record: AuditRecord;
  readonly count: number;
}

/**
 * Counts equal events, so that a client that repeats one fills no log: the first is due at once, and those that follow are due
 * together a minute later, and so on. Times are milliseconds of any clock.
 */
export class RepeatedEvents {
  private readonly events = new Map<string, Repeated>();

  /** @param limit keys that are remembered */
  constructor(private readonly limit: number) {}

  /** Whether an event of the key was counted or written in the last minute, so that another would be a repetition. */
  has(key: string): boolean {
    return this.events.has(key);
  }

  /** Whether there is no room for another key. */
  get isFull(): boolean {
    return this.events.size >= this.limit;
  }

  /** Remembers an event that is written already. Others may have been counted since: it was being written meanwhile. */
  remember(key: string, record: AuditRecord, now: number): void {
    if (!this.isFull && !this.has(key)) {
      this.events.set(key, { record, unwritten: 0, writtenAt: now });
    }
  }

  /** Counts an event that is not written yet. */
  count(key: string, record: AuditRecord): void {
    const { unwritten = 0, writtenAt = null } = this.events.get(key) ?? {};
    this.events.set(key, { record, unwritten: unwritten + 1, writtenAt });
  }

  /** Takes what is due, and forgets what was not repeated. @param isLast whether all that is not written yet is due */
  take(now: number, isLast = false): EventCount[] {
    const due: EventCount[] = [];
    for (const [key, event] of this.events) {
      const { record, unwritten, writtenAt } = event;
      if (!isLast && writtenAt !== null && now - writtenAt < PERIOD_MS) continue;
      if (unwritten === 0) this.events.delete(key);
      else {
        due.push({ key, record, count: unwritten });
        event.unwritten = 0;
        event.writtenAt = now;
      }
    }
    return due;
  }

  /** Counts events again that were taken and could not be written: they are due at once. */
  giveBack(taken: readonly EventCount[]): void {
    for (const { key, record, count } of taken) {
      const { unwritten = 0, record: last = record } = this.events.get(key) ?? {};
      this.events.set(key, { record: last, unwritten: unwritten + count, writtenAt: null });
    }
  }
}
