import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { FairSlots, type SlotCaller } from '../../../platform/limits/index.js';
import type { RenderedText, RenderJob } from '../rendering/rendered-text.js';
import { RenderThread } from './render-thread.js';

const THREADS = 2;

/** For all texts of a job. Ordinary texts of a megabyte take a quarter of it. */
const TIME_MS = 2_000;

/** So that one client's texts leave a thread to others. */
const SLOTS = {
  name: 'rendered_texts',
  total: THREADS,
  perUser: 1,
  perAddress: 1,
  waitMs: 10_000,
  waiting: 256,
};

/** Threads that render texts, so that none holds up other work of the process (docs/decisions/0080-rendered-markdown.md). */
@Injectable()
export class RenderThreads implements OnModuleDestroy {
  private readonly slots = new FairSlots(SLOTS);
  private readonly threads = Array.from({ length: THREADS }, () => new RenderThread());
  private readonly free = [...this.threads];

  /**
   * Renders texts one after another.
   * @returns null for those that take too long or too much memory
   * @throws SlotsTakenError when no thread is free for ten seconds
   */
  async render(job: RenderJob, { userId, address }: SlotCaller): Promise<(RenderedText | null)[]> {
    // Turns go round users, wherever they call from, and addresses of anonymous readers.
    const reader = typeof userId === 'number' ? `user ${String(userId)}` : address;
    const release = await this.slots.acquire({ address: reader, userId });
    // The one that worked last is the most likely to run.
    const thread = this.free.pop();
    try {
      if (thread === undefined) throw new Error('There are more slots than threads');
      const rendered = await thread.render(job, TIME_MS);
      return job.texts.map((_, index) => rendered[index] ?? null);
    } finally {
      if (thread !== undefined) this.free.push(thread);
      release();
    }
  }

  async onModuleDestroy(): Promise<void> {
    for (const thread of this.threads) await thread.end();
  }
}
