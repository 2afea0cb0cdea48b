import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundLoop } from '../../../platform/async/index.js';
import { AuditLog, type AuditRecord } from './audit-log.repository.js';
import { auditOrigin, type AuditUser } from './audit-origin.js';
import { type EventCount, RepeatedEvents } from './repeated-events.js';

const INTERVAL_MS = 1_000;
/** Addresses and accounts that are counted apart. */
const MAX_KEYS = 5_000;

/** `POST /session` or a password in the form of browsers, basic authentication, a private token in that form. */
export type SignInMethod = 'session' | 'basic' | 'token';

interface FailedSignIn {
  /** Null where there is no such account. What was typed in its place may be a password. */
  readonly user: AuditUser | null;
  readonly address: string;
  readonly method: SignInMethod;
}

interface SignIn extends FailedSignIn {
  readonly user: AuditUser;
}

/** Stands for the addresses and accounts beyond `MAX_KEYS`. */
const OTHERS = 'others';
const REST: AuditRecord = {
  action: 'session.failed',
  agent: 'anonymous',
  details: { others: true },
};

/**
 * Records sign-ins, and those that fail, so that no client fills the log by repeating them.
 *
 * The first sign-in of an account from an address in one way is recorded in its transaction, those of the minute after it in one
 * entry. Those that fail change nothing that they could be recorded with, and neither fail nor wait for the log: they are
 * written within a second, and then each minute, in one entry for each address, account and way.
 */
@Injectable()
export class SignIns implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SignIns.name);
  private readonly succeeded = new RepeatedEvents(MAX_KEYS);
  private readonly failed = new RepeatedEvents(MAX_KEYS);
  private readonly loop = new BackgroundLoop(
    INTERVAL_MS,
    () => this.write(),
    (error) => this.logger.error(error),
  );

  constructor(private readonly audit: AuditLog) {}

  // Not with the first failure: the loop would go on as part of that request.
  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    await this.writeAll().catch((error: unknown) => this.logger.error(error));
  }

  /** Whether an account has signed in from an address in the same way within the last minute, as far as this process knows. */
  isRepeated(signIn: SignIn): boolean {
    return this.succeeded.has(keyOf(signIn));
  }

  /** Records a sign-in that is not repeated, in the caller's unit of work. */
  recordFirst(signIn: SignIn): Promise<void> {
    return this.audit.record(successOf(signIn));
  }

  /** Remembers, after its unit of work, a sign-in that is recorded, or counts one that is repeated. */
  countSuccess(signIn: SignIn, { isRepeated }: { isRepeated: boolean }): void {
    const key = keyOf(signIn);
    const record = successOf(signIn);
    if (isRepeated) this.succeeded.count(key, record);
    else this.succeeded.remember(key, record, performance.now());
  }

  countFailure(signIn: FailedSignIn): void {
    const key = keyOf(signIn);
    const isKnown = this.failed.has(key) || !this.failed.isFull;
    this.failed.count(isKnown ? key : OTHERS, isKnown ? failureOf(signIn) : REST);
  }

  /** Writes all that is counted and not written yet. */
  async writeAll(): Promise<void> {
    await this.write({ isLast: true });
  }

  private async write({ isLast = false } = {}): Promise<void> {
    const now = performance.now();
    const succeeded = this.succeeded.take(now, isLast);
    const failed = this.failed.take(now, isLast);
    try {
      await this.audit.record(
        ...succeeded.map((event) => withCount(event, 'repeats')),
        ...failed.map((event) => withCount(event, 'attempts')),
      );
    } catch (error) {
      // If only the answer was lost, they are there twice, which is better than not at all.
      this.succeeded.giveBack(succeeded);
      this.failed.giveBack(failed);
      throw error;
    }
  }
}

const withCount = ({ record, count }: EventCount, name: 'repeats' | 'attempts'): AuditRecord => ({
  ...record,
  details: { ...record.details, [name]: count },
});

const keyOf = ({ user, address, method }: SignIn | FailedSignIn): string =>
  JSON.stringify([user?.id, address, method]);

/** It names the request, since repetitions are written outside of it. */
const successOf = ({ user, address }: SignIn): AuditRecord => ({
  action: 'session.created',
  author: user,
  target: targetOf(user),
  ip: address,
  requestId: requestId(),
});

const failureOf = ({ user, address, method }: FailedSignIn): AuditRecord => ({
  action: 'session.failed',
  ip: address,
  requestId: requestId(),
  details: { method },
  ...(user !== null && { target: targetOf(user) }),
});

const targetOf = ({ id, username }: AuditUser): NonNullable<AuditRecord['target']> => ({
  type: 'user',
  id,
  name: username,
});

const requestId = (): string | null => auditOrigin.getStore()?.requestId ?? null;
