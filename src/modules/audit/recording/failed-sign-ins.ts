import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundLoop } from '../../../platform/async/index.js';
import { AuditLog, type AuditRecord } from './audit-log.repository.js';
import { auditOrigin, type AuditUser } from './audit-origin.js';

const INTERVAL_MS = 1_000;
/** Of addresses and accounts that are counted apart in one interval. */
const MAX_KEYS = 1_000;

interface FailedSignIn {
  /** Null where there is no such account. What was typed in its place may be a password. */
  readonly user: AuditUser | null;
  readonly address: string;
  /** How: `POST /session`, basic authentication, or a private token in the form of browsers. */
  readonly method: 'session' | 'basic' | 'token';
}

interface Counted {
  readonly record: AuditRecord;
  readonly attempts: number;
}

/** Stands for the addresses and accounts beyond `MAX_KEYS`. */
const OTHERS = 'others';
const REST: AuditRecord = { action: 'session.failed', details: { others: true } };

/**
 * Records sign-ins that fail, each second in one statement and one entry for each address, account and way. They change
 * nothing that they could be recorded with, and neither fail nor wait for the log.
 */
@Injectable()
export class FailedSignIns implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(FailedSignIns.name);
  private counted = new Map<string, Counted>();
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
    await this.write().catch((error: unknown) => this.logger.error(error));
  }

  count({ user, address, method }: FailedSignIn): void {
    const own = JSON.stringify([user?.id, address, method]);
    const isFull = this.counted.size >= MAX_KEYS && !this.counted.has(own);
    const key = isFull ? OTHERS : own;
    const record = isFull ? REST : recordOf({ user, address, method });
    const { attempts } = this.counted.get(key) ?? { attempts: 0 };
    this.counted.set(key, { record, attempts: attempts + 1 });
  }

  private async write(): Promise<void> {
    if (this.counted.size === 0) return;
    const counted = [...this.counted.values()];
    this.counted = new Map();
    await this.audit.record(
      ...counted.map(({ record, attempts }) => ({
        ...record,
        details: { ...record.details, attempts },
      })),
    );
  }
}

function recordOf({ user, address, method }: FailedSignIn): AuditRecord {
  const requestId = auditOrigin.getStore()?.requestId ?? null;
  return {
    ...{ action: 'session.failed', ip: address, requestId, details: { method } },
    ...(user !== null && { target: { type: 'user', id: user.id, name: user.username } }),
  };
}
