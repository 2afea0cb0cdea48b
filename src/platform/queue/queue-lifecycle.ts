import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HandlerRegistry } from './jobs/job-handler.js';
import { OutboxRelay } from './outbox/outbox-relay.js';
import { QUEUE_OPTIONS, type QueueOptions, tuningOf } from './queue-options.js';
import { QueueGuard } from './reconciliation/queue-guard.js';
import { WorkerRuntime } from './running/worker-runtime.js';

/** Starts and stops the worker side together with the application. */
@Injectable()
export class QueueLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #draining: Promise<void> | undefined;

  constructor(
    private readonly registry: HandlerRegistry,
    private readonly guard: QueueGuard,
    private readonly relay: OutboxRelay,
    private readonly runtime: WorkerRuntime,
    @Inject(QUEUE_OPTIONS) private readonly options: QueueOptions,
  ) {}

  /** @throws Error naming every job without a handler or with several */
  onApplicationBootstrap(): void {
    this.registry.load();
    this.guard.start();
    this.relay.start();
    this.runtime.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.drain(tuningOf(this.options).drainMs);
  }

  /** Ends the worker side: nothing new is begun, jobs in flight get `timeoutMs` to finish. */
  drain(timeoutMs: number): Promise<void> {
    this.#draining ??= this.#drain(timeoutMs);
    return this.#draining;
  }

  /** Stops the jobs in flight, which others take over; this process goes on with new ones. */
  leaveJobs(): void {
    this.runtime.leaveJobs();
  }

  async #drain(timeoutMs: number): Promise<void> {
    await Promise.all([this.guard.stop(), this.relay.stop(), this.runtime.drain(timeoutMs)]);
    this.options.logger.info({}, 'The worker is drained');
  }
}
