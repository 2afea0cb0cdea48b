import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { unauthenticated } from '../../../platform/errors/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../platform/queue/index.js';
import type { User } from '../model/user.entity.js';
import { WebSessionsRepository } from './web-sessions.repository.js';

const TOKEN_BYTES = 32;

/**
 * Sessions of browsers (docs/decisions/0055-pages.md). They end when the browser signs out, some time after their last use,
 * and when the account is blocked or deleted or gets another password or private token.
 */
@Injectable()
export class WebSessionsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly sessions: WebSessionsRepository,
  ) {}

  /**
   * Starts a session of an account that has signed in.
   * @param address the client's IP address
   * @returns its token, for the cookie
   * @throws DomainError unauthenticated when the credential has been changed meanwhile
   */
  async start(user: User, address: string): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const insert = () => this.sessions.insert(user, hashOf(token), address);
    const started = await this.work.run(insert);
    if (!started) throw unauthenticated();
    return token;
  }

  /** Finds the active account of a session, null when it has ended. */
  find(token: string): Promise<User | null> {
    return this.sessions.findUser(hashOf(token));
  }

  end(token: string): Promise<void> {
    return this.sessions.delete(hashOf(token));
  }
}

/** Needs no key: 32 random bytes cannot be guessed by their hash. */
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const removeEndedSessions = defineRecurringJob({
  queue: 'maintenance',
  name: 'remove-ended-web-sessions',
  everyMs: 60 * 60 * 1000,
});

/** Removes rows only: a session that has ended opens nothing before. */
@Injectable()
@HandlesJob(removeEndedSessions)
export class RemoveEndedWebSessionsJob implements JobHandler {
  constructor(private readonly sessions: WebSessionsRepository) {}

  async handle(_: object, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    while (await this.sessions.deleteSomeEnded()) signal.throwIfAborted();
  }
}
