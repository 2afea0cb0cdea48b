import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { formatDuration, MAX_SECONDS } from '../model/durations.js';
import type { Issuable } from '../model/issuable.js';
import { issuableNotFound, spentTimeRefused } from '../model/refusals.js';
import { NotesRepository } from '../notes/notes.repository.js';
import { TimesRepository, type TimeStats } from './times.repository.js';

/** Keeps the time that is estimated for issues and merge requests, and spent on them, with a system note of each change. */
@Injectable()
export class TimeTrackingService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly times: TimesRepository,
    private readonly notes: NotesRepository,
  ) {}

  /** @throws DomainError record not found */
  async read(target: Issuable): Promise<TimeStats> {
    const found = await this.times.find(target);
    if (found === null) throw issuableNotFound(target.type);
    return found;
  }

  /**
   * Replaces the estimate; 0 removes it.
   * @throws DomainError record not found
   */
  estimate(target: Issuable, userId: number, seconds: number): Promise<TimeStats> {
    const text =
      seconds === 0
        ? 'removed time estimate'
        : `changed time estimate to ${formatDuration(seconds)}`;
    return this.change(target, userId, text, (before) => ({ ...before, timeEstimate: seconds }));
  }

  /**
   * Adds to the time that was spent, or subtracts from it.
   * @throws DomainError record not found; spent time refused
   */
  spend(target: Issuable, userId: number, seconds: number): Promise<TimeStats> {
    const amount = formatDuration(Math.abs(seconds));
    const text = `${seconds < 0 ? 'subtracted' : 'added'} ${amount} of time spent`;
    return this.change(target, userId, text, (before) => {
      const totalTimeSpent = before.totalTimeSpent + seconds;
      if (totalTimeSpent < 0) throw spentTimeRefused('below-zero');
      if (totalTimeSpent > MAX_SECONDS) throw spentTimeRefused('too-long');
      return { ...before, totalTimeSpent };
    });
  }

  /** @throws DomainError record not found */
  resetSpent(target: Issuable, userId: number): Promise<TimeStats> {
    const reset = (before: TimeStats): TimeStats => ({ ...before, totalTimeSpent: 0 });
    return this.change(target, userId, 'removed time spent', reset);
  }

  /** @param text of the system note, if anything changes */
  private change(
    target: Issuable,
    userId: number,
    text: string,
    apply: (before: TimeStats) => TimeStats,
  ): Promise<TimeStats> {
    return this.work.run(async () => {
      const before = await this.times.lock(target);
      if (before === null) throw issuableNotFound(target.type);
      const after = apply(before);
      const isSame =
        after.timeEstimate === before.timeEstimate &&
        after.totalTimeSpent === before.totalTimeSpent;
      if (isSame) return before;
      await this.times.write(target, after);
      await this.notes.insertSystemNote(target, userId, text);
      return after;
    });
  }
}
