import { access, constants } from 'node:fs/promises';
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

/** What a folder has answered. */
interface FolderState {
  readonly room: DiskReport;
  /** And readable. */
  readonly isWritable: boolean;
}

/** Asks file systems without waiting long for those that hang. */
@Injectable()
export class DiskProbe {
  private readonly pending = new Map<string, Promise<FolderState | 'unavailable'>>();

  /** Returns the room on the file system of each folder. */
  async probe(
    folders: readonly string[],
    limitMs = LIMIT_MS,
  ): Promise<(DiskReport | DiskSilence)[]> {
    const found = await this.askAll(folders, limitMs);
    return found.map((state) => (typeof state === 'string' ? state : state.room));
  }

  /** Whether all folders can be read and written, and answer in time. */
  async areWritable(folders: readonly string[], limitMs = LIMIT_MS): Promise<boolean> {
    const found = await this.askAll(folders, limitMs);
    return found.every((state) => typeof state !== 'string' && state.isWritable);
  }

  /** Asks one folder after the other: an answer takes microseconds, unless a file system hangs. */
  private async askAll(
    folders: readonly string[],
    limitMs: number,
  ): Promise<(FolderState | DiskSilence)[]> {
    const deadline = performance.now() + limitMs;
    const found: (FolderState | DiskSilence)[] = [];
    for (const folder of folders) {
      found.push(await this.askOne(folder, Math.max(0, deadline - performance.now())));
    }
    return found;
  }

  private async askOne(folder: string, limitMs: number): Promise<FolderState | DiskSilence> {
    const answer = this.ask(folder);
    if (answer === undefined) return 'slow';
    return (await settlesWithin(answer, limitMs)) ? answer : 'slow';
  }

  /** Undefined while too many file systems hang. A folder whose answer is awaited is not asked again. */
  private ask(folder: string): Promise<FolderState | 'unavailable'> | undefined {
    const known = this.pending.get(folder);
    if (known !== undefined) return known;
    if (this.pending.size >= MAX_PENDING) return undefined;
    const answer = this.stateOf(folder)
      .catch(() => 'unavailable' as const)
      .finally(() => this.pending.delete(folder));
    this.pending.set(folder, answer);
    return answer;
  }

  private async stateOf(folder: string): Promise<FolderState> {
    const room = await this.look(folder);
    const isWritable = await access(folder, constants.R_OK | constants.W_OK).then(
      () => true,
      () => false,
    );
    return { room, isWritable };
  }

  /** Tests replace it by one that hangs. */
  protected look(folder: string): Promise<DiskReport> {
    return probeDisk(folder);
  }
}
