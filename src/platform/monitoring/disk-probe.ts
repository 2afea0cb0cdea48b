import { Injectable } from '@nestjs/common';
import { settlesWithin } from '../async/index.js';
import { type DiskReport, probeDisk } from './disk.js';

/** How long a caller waits for a file system. */
const LIMIT_MS = 2_000;

/**
 * File systems that are asked at once, or have not answered yet. One that hangs keeps a thread of Node's pool, of which there
 * are four, until it answers: the rest is for all other files.
 */
const MAX_PENDING = 2;

/** Why a file system said nothing about its room. */
export type DiskSilence = 'unavailable' | 'slow';

/** Asks file systems for their room without waiting long for those that hang. */
@Injectable()
export class DiskProbe {
  private readonly pending = new Map<string, Promise<DiskReport | 'unavailable'>>();

  /** Looks at one folder after the other: an answer takes microseconds, unless a file system hangs. */
  async probe(
    folders: readonly string[],
    limitMs = LIMIT_MS,
  ): Promise<(DiskReport | DiskSilence)[]> {
    const deadline = performance.now() + limitMs;
    const found: (DiskReport | DiskSilence)[] = [];
    for (const folder of folders) {
      found.push(await this.probeOne(folder, Math.max(0, deadline - performance.now())));
    }
    return found;
  }

  private async probeOne(folder: string, limitMs: number): Promise<DiskReport | DiskSilence> {
    const answer = this.ask(folder);
    if (answer === undefined) return 'slow';
    return (await settlesWithin(answer, limitMs)) ? answer : 'slow';
  }

  /** Undefined while too many file systems hang. A folder whose answer is awaited is not asked again. */
  private ask(folder: string): Promise<DiskReport | 'unavailable'> | undefined {
    const known = this.pending.get(folder);
    if (known !== undefined) return known;
    if (this.pending.size >= MAX_PENDING) return undefined;
    const answer = this.look(folder)
      .catch(() => 'unavailable' as const)
      .finally(() => this.pending.delete(folder));
    this.pending.set(folder, answer);
    return answer;
  }

  /** Tests replace it by one that hangs. */
  protected look(folder: string): Promise<DiskReport> {
    return probeDisk(folder);
  }
}
