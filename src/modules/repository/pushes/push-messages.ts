import { Injectable, Logger } from '@nestjs/common';
import type { ProjectRef } from '../../access/index.js';
import type { PushedBranch } from './push.events.js';

/** What a push has made or moved, for whoever has something to say of it. */
export interface ToldPush {
  readonly project: ProjectRef;
  readonly userId: number;
  readonly branches: readonly PushedBranch[];
}

/** Lines that the pusher is to read. Called after the push is recorded, outside its unit of work. */
type Speaker = (push: ToldPush) => Promise<readonly string[]>;

/** What upper rooms have to say to somebody who has pushed; git prints it (open points 8.3). */
@Injectable()
export class PushMessages {
  private readonly logger = new Logger(PushMessages.name);
  private readonly speakers: Speaker[] = [];

  register(speaker: Speaker): void {
    this.speakers.push(speaker);
  }

  /** Says less rather than fail: the push has happened. */
  async of(push: ToldPush): Promise<string[]> {
    const lines: string[] = [];
    for (const speaker of this.speakers) {
      try {
        lines.push(...(await speaker(push)));
      } catch (error) {
        this.logger.warn('A push is not commented on', error);
      }
    }
    return lines;
  }
}
