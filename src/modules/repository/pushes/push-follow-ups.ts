import { Injectable, Logger } from '@nestjs/common';
import type { ToldPush } from './push-messages.js';

type FollowUp = (push: ToldPush) => Promise<void>;

/**
 * What upper rooms do about a push before it is answered, so that whoever reads right after it sees it
 * (open points 8.3). All of it is waiting as jobs as well: what fails here, or is cut short by a crash, a
 * worker does.
 */
@Injectable()
export class PushFollowUps {
  private readonly logger = new Logger(PushFollowUps.name);
  private readonly followUps: FollowUp[] = [];

  register(followUp: FollowUp): void {
    this.followUps.push(followUp);
  }

  /** Call when the push is recorded, outside of its unit of work. Never fails. */
  async run(push: ToldPush): Promise<void> {
    for (const followUp of this.followUps) {
      try {
        await followUp(push);
      } catch (error) {
        this.logger.warn('What follows a push is left to its jobs', error);
      }
    }
  }
}
