import { Injectable } from '@nestjs/common';
import { Batches } from '../../../platform/async/index.js';
import { Config, userAgent } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { deliveryDuration } from '../../../platform/metrics/index.js';
import {
  CONFIRMED,
  defineJob,
  exponentialBackoff,
  HandlesJob,
  type JobDefinition,
  type JobContext,
  type JobHandler,
  type JobRequest,
  JobSlots,
  Outbox,
} from '../../../platform/queue/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import { currentTraceparent, inSpan } from '../../../platform/tracing/index.js';
import { customHeadersOf, deliveryUrl, urlVariablesOf } from '../model/hook-secrets.js';
import { HooksRepository } from '../hooks.repository.js';
import { PayloadVersions } from '../payloads/hook-payloads.js';
import {
  type Attempt,
  DeliveriesRepository,
  type DeliveryHook,
  type DueDelivery,
  type FailedAttempt,
  type PostponedDelivery,
  type RetryDecision,
  turnKey,
  type UnattemptedDelivery,
} from './deliveries.repository.js';
import {
  type DeliveryRequest,
  deliveryRequest,
  inTraceOf,
  withoutRepeatedSecrets,
  withoutSecrets,
} from './delivery-request.js';
import {
  type AttemptResult,
  type FailedResult,
  hasFailed,
  HttpSender,
  type SendOptions,
} from './http-sender.js';

interface DeliveryPayload {
  deliveryId: string;
  /** The delivery's turn that this job is for; a job of an earlier turn does nothing. */
  turn: number;
}

/** In which of the queues a job waits. */
type DeliveryQueue = 'now' | 'later';

/** A request as it was sent, and what came of it. */
interface SentRequest {
  readonly request: DeliveryRequest;
  readonly result: AttemptResult;
}

/** Deliveries that one worker process attempts at once, in each of the two queues. */
const WORKER_CONCURRENCY = 32;

const OPTIONS = {
  fair: true,
  concurrency: WORKER_CONCURRENCY,
  // A request is cut off after ten seconds; the rest is for the database.
  timeLimitMs: 30_000,
  // A job fails only when the service itself is in trouble: what receivers do is recorded, and leads to a
  // job of the next turn. So many attempts do no harm.
  attempts: 1_000,
  backoff: exponentialBackoff(1_000, 60_000),
};

/** Makes the first attempt of a delivery. */
export const deliverHook = defineJob<DeliveryPayload>('hooks', 'deliver', OPTIONS);

/**
 * Makes a further attempt, or the first one of a delivery that was postponed or whose hook is failing. The
 * queue is separate because its receivers are often slow.
 */
export const deliverHookLater = defineJob<DeliveryPayload>('hooks-later', 'deliver-later', OPTIONS);

/** As `deliverHook`, for workers that know version 4. */
const deliverHookV4 = defineJob<DeliveryPayload>('hooks', 'deliver-v4', OPTIONS);

/** As `deliverHookLater`, for workers that know version 4. */
const deliverHookLaterV4 = defineJob<DeliveryPayload>('hooks-later', 'deliver-later-v4', OPTIONS);

/** What decides about the job of a delivery. */
type ChosenDelivery = Pick<DueDelivery, 'needsVersion4'>;

/** The kind of job that attempts a delivery for the first time. */
export const jobNow = ({ needsVersion4 }: ChosenDelivery): JobDefinition<DeliveryPayload> =>
  needsVersion4 ? deliverHookV4 : deliverHook;

/** The kind of job that attempts a delivery in the queue of retries. */
export const jobLater = ({ needsVersion4 }: ChosenDelivery): JobDefinition<DeliveryPayload> =>
  needsVersion4 ? deliverHookLaterV4 : deliverHookLater;

/** Hooks of a project share one part of the queue; a system hook has one of its own. */
export const fairnessKeyOf = ({ hookId, projectId }: DeliveryHook): string =>
  projectId === null ? `hook ${String(hookId)}` : `project ${String(projectId)}`;

/** The job of the first attempt. A receiver that failed last may be slow to respond, and must not hold up the others. */
export const firstAttempt = (
  delivery: UnattemptedDelivery,
  projectId: number | null,
  options: { delayMs?: number } = {},
): JobRequest => {
  const { id: deliveryId, hookId, isFailing } = delivery;
  return (isFailing ? jobLater(delivery) : jobNow(delivery)).with(
    { deliveryId, turn: 0 },
    { ...options, fairnessKey: fairnessKeyOf({ hookId, projectId }) },
  );
};

/** For the job of an attempt that a request makes itself, in case that its process dies: longer than the request takes. */
export const AFTER_REQUEST = { delayMs: 60_000 } as const;

const JITTER = 0.1;
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;
/** The one form of dates in HTTP that every version of JavaScript parses, and none in its own time zone. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Attempts deliveries that are due. An attempt is recorded together with the job of the next one, in one
 * transaction: whenever a process is killed, the delivery is either at its old turn or at the next, and has a
 * job for it. See docs/decisions/0027-deliveries.md.
 */
@Injectable()
export class HookDeliverer {
  /** A receiver gets at most half of the slots; many do not respond to further attempts, so there each gets a quarter. */
  private readonly slots: Readonly<Record<DeliveryQueue, JobSlots>> = {
    now: new JobSlots(WORKER_CONCURRENCY / 2),
    later: new JobSlots(WORKER_CONCURRENCY / 4),
  };
  private readonly postponed = new Batches<PostponedDelivery, undefined>({
    key: turnKey,
    answer: (deliveries) => this.postponeAll(deliveries),
  });

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly hooks: HooksRepository,
    private readonly versions: PayloadVersions,
    private readonly sender: HttpSender,
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly secrets: Secrets,
    private readonly config: Config,
  ) {}

  /**
   * Attempts a delivery, or postpones it when its receiver or its hook already uses its share of the queue's slots.
   * @returns whether the job is confirmed already
   */
  async deliver(
    { deliveryId, turn }: DeliveryPayload,
    queue: DeliveryQueue,
    context: JobContext,
  ): Promise<typeof CONFIRMED | undefined> {
    const delivery = await this.deliveries.findDue(deliveryId, turn);
    if (delivery === undefined) return undefined;
    if (delivery.isDisabled) {
      await this.deliveries.abandon(delivery);
      return undefined;
    }
    const { host } = new URL(delivery.url);
    const hook = `hook ${String(delivery.hookId)}`;
    const slot = await this.slots[queue].acquire([`host ${host}`, hook, fairnessKeyOf(delivery)]);
    if (typeof slot === 'number') {
      await this.postpone(delivery, slot);
      return undefined;
    }
    try {
      return await this.attempt(delivery, context);
    } finally {
      slot.release();
    }
  }

  /**
   * Makes one attempt of a delivery, without retries. A job of the same turn, which is there in case that the process dies, does
   * nothing afterwards.
   * @returns null when the delivery is at another turn, or its hook has been removed
   */
  async attemptOnce(deliveryId: string, turn: number): Promise<AttemptResult | null> {
    const delivery = await this.deliveries.findDue(deliveryId, turn);
    if (delivery === undefined) return null;
    const { result, ...attempt } = await this.makeAttempt(delivery, new AbortController().signal);
    if (hasFailed(result)) {
      const decision = { state: 'failed', delayMs: null, disables: null } as const;
      await this.deliveries.recordFailure({ ...attempt, result }, decision);
    } else {
      await this.deliveries.recordSuccess({ ...attempt, result, jobId: null });
    }
    return result;
  }

  /** Moves a delivery to a later turn without an attempt. Concurrent calls share a transaction. */
  private async postpone(delivery: DueDelivery, delayMs: number): Promise<void> {
    const { id, turn, needsVersion4 } = delivery;
    const fairnessKey = fairnessKeyOf(delivery);
    await this.postponed.ask({ id, turn, delayMs, fairnessKey, needsVersion4 });
  }

  private postponeAll(deliveries: readonly PostponedDelivery[]): Promise<undefined[]> {
    return this.work.run(async () => {
      const moved = await this.deliveries.postpone(deliveries);
      const jobs = moved.map(({ id, turn, delayMs, fairnessKey, ...delivery }) =>
        jobLater(delivery).with({ deliveryId: id, turn }, { delayMs, fairnessKey }),
      );
      await this.outbox.addAll(jobs);
      return deliveries.map(() => undefined);
    });
  }

  private async attempt(
    delivery: DueDelivery,
    { jobId, signal }: JobContext,
  ): Promise<typeof CONFIRMED | undefined> {
    const { result, ...attempt } = await this.makeAttempt(delivery, signal);
    if (hasFailed(result)) {
      await this.recordFailure({ ...attempt, result });
      return undefined;
    }
    // A success adds no job, so it needs no transaction of its own and can share a statement.
    await this.deliveries.recordSuccess({ ...attempt, result, jobId });
    return CONFIRMED;
  }

  private async makeAttempt(
    delivery: DueDelivery,
    signal: AbortSignal,
  ): Promise<Attempt & { result: AttemptResult }> {
    const at = new Date();
    let built: DeliveryRequest;
    try {
      built = await this.buildRequest(delivery, at);
    } catch (error) {
      const failure = { cause: 'payload', message: String(error) } as const;
      const result = { durationMs: 0, response: null, failure };
      return { delivery, at, requestHeaders: {}, result };
    }
    const { verifiesCertificate } = delivery;
    const { request, result } = await this.send(built, { verifiesCertificate, signal });
    return { delivery, at, requestHeaders: withoutSecrets(request), result };
  }

  /** Sends a request, which is made part of the trace of its cause if that is traced. */
  private send(built: DeliveryRequest, options: SendOptions): Promise<SentRequest> {
    // The address may be a secret of the receiver.
    const attributes = { 'http.request.method': 'POST', 'server.address': built.url.host };
    return inSpan('deliver to hook', { kind: 'client', attributes }, async (span) => {
      const request = inTraceOf(built, currentTraceparent());
      const result = await this.sender.send(request, options);
      const { durationMs, failure, response } = result;
      deliveryDuration.observe({ outcome: failure?.cause ?? 'delivered' }, durationMs / 1000);
      span?.setAttributes({ 'http.response.status_code': response?.status });
      if (failure !== null) span?.fail({ code: failure.cause });
      const kept = response && withoutRepeatedSecrets(response, request);
      return { request, result: { ...result, response: kept } };
    });
  }

  private async buildRequest(delivery: DueDelivery, at: Date): Promise<DeliveryRequest> {
    const { tokenSealed, projectId } = delivery;
    const message = { ...delivery, body: delivery.body ?? (await this.buildBody(delivery)) };
    const token = tokenSealed === null ? null : this.secrets.open(tokenSealed);
    const url = deliveryUrl(delivery, this.secrets);
    const receiver = {
      url,
      token,
      isSystemHook: projectId === null,
      customHeaders: customHeadersOf(delivery, this.secrets),
      urlSecrets: [...urlVariablesOf(delivery, this.secrets).values()],
      uuid: delivery.hookUuid,
    };
    const instance = this.config.http.externalUrl;
    return deliveryRequest(message, receiver, { at, userAgent: userAgent(), instance });
  }

  /** Builds the body once and stores it: later attempts and other hooks send the same bytes. */
  private async buildBody(delivery: DueDelivery): Promise<string> {
    const { kind, payload, eventId, projectId, version } = delivery;
    const source = { projectId, readsGit: true };
    const complete = await this.versions.of(version).complete(kind, payload, source);
    return this.deliveries.storeBody(eventId, JSON.stringify(complete));
  }

  private recordFailure(attempt: FailedAttempt): Promise<void> {
    const { delivery } = attempt;
    return this.work.run(async () => {
      const decision = await this.decideRetry(attempt);
      const result = explained(attempt.result, decision);
      if (!(await this.deliveries.recordFailure({ ...attempt, result }, decision))) return;
      const { disables, delayMs } = decision;
      if (disables !== null) await this.hooks.disable(delivery.hookId, disables);
      if (delayMs !== null) {
        const next = { deliveryId: delivery.id, turn: delivery.turn + 1 };
        const fairnessKey = fairnessKeyOf(delivery);
        await this.outbox.add(jobLater(delivery).with(next, { delayMs, fairnessKey }));
      }
    });
  }

  private async decideRetry({ delivery, result }: FailedAttempt): Promise<RetryDecision> {
    const isHopeless = await this.hooks.recordFailure(delivery.hookId);
    if (result.failure.cause === 'gone') {
      return { state: 'failed', delayMs: null, disables: 'gone' };
    }
    if (isHopeless) return { state: 'failed', delayMs: null, disables: 'failing' };
    const schedule = this.config.webhookRetrySeconds;
    const delayMs = retryDelayMs(schedule, delivery.attempts + 1, result);
    return { state: delayMs === null ? 'failed' : 'pending', delayMs, disables: null };
  }
}

/** Makes first attempts. */
@Injectable()
@HandlesJob(deliverHook)
export class DeliverHookJob implements JobHandler<DeliveryPayload> {
  constructor(private readonly deliverer: HookDeliverer) {}

  handle(payload: DeliveryPayload, context: JobContext): Promise<typeof CONFIRMED | undefined> {
    return this.deliverer.deliver(payload, 'now', context);
  }
}

@Injectable()
@HandlesJob(deliverHookV4)
export class DeliverHookV4Job extends DeliverHookJob {}

/** Makes further attempts. */
@Injectable()
@HandlesJob(deliverHookLater)
export class DeliverHookLaterJob implements JobHandler<DeliveryPayload> {
  constructor(private readonly deliverer: HookDeliverer) {}

  handle(payload: DeliveryPayload, context: JobContext): Promise<typeof CONFIRMED | undefined> {
    return this.deliverer.deliver(payload, 'later', context);
  }
}

@Injectable()
@HandlesJob(deliverHookLaterV4)
export class DeliverHookLaterV4Job extends DeliverHookLaterJob {}

/** Adds to the failure's message that the hook was disabled, when it was. */
function explained(result: FailedResult, { disables }: RetryDecision): FailedResult {
  if (disables !== 'failing') return result;
  const message = `${result.failure.message}; the hook is disabled after three days without a success`;
  return { ...result, failure: { ...result.failure, message } };
}

/**
 * The milliseconds to wait before the next attempt, or null when there is none: the schedule's delay with
 * jitter, or a longer `Retry-After`. See docs/reference/hooks.md#retries.
 * @param schedule seconds to wait after the first attempt, the second, and so on
 * @param attempts made so far, of which the last has failed
 */
function retryDelayMs(
  schedule: readonly number[],
  attempts: number,
  { response, failure }: FailedResult,
): number | null {
  if (failure.cause === 'gone' || failure.cause === 'refused') return null;
  const seconds = schedule[attempts - 1];
  if (seconds === undefined) return null;
  const scheduled = Math.round(seconds * 1_000 * (1 - JITTER + 2 * JITTER * Math.random()));
  const requested = retryAfterMs(response?.headers['retry-after'], Date.now());
  return Math.max(scheduled, Math.min(requested, MAX_RETRY_AFTER_MS));
}

/** Parses a `Retry-After` in seconds or as a date; 0 when it is absent or invalid. */
function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const moment = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? 0 : Math.max(0, moment - now);
}
