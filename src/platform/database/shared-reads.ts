import { Batches, type BatchOptions } from '../async/index.js';
import { transactionContext } from './unit-of-work.js';

/**
 * Look-ups that concurrent requests share a statement for. Within a unit of work a question is asked
 * alone, in its transaction, whose changes it has to see.
 */
export class BatchedReads<Question, Answer> {
  private readonly batches: Batches<Question, Answer>;

  constructor(private readonly options: BatchOptions<Question, Answer>) {
    this.batches = new Batches(options);
  }

  async ask(question: Question): Promise<Answer> {
    if (transactionContext.getStore() === undefined) return this.batches.ask(question);
    const [answer] = await this.options.answer([question]);
    return answer as Answer;
  }
}

interface SharedReadsOptions<Question, Answer> {
  /** Equal questions have equal keys, and are asked once. */
  readonly key: (question: Question) => string;
  /** Must not be called within a unit of work. */
  readonly answer: (question: Question) => Promise<Answer>;
}

interface Shared<Question, Answer> {
  readonly reads: BatchedReads<Question, Answer>;
  /** Questions without an answer yet. */
  waiting: number;
}

/**
 * Reads that concurrent requests share when they ask the same. Other than with `BatchedReads`, different questions
 * have statements of their own and do not wait for each other. As there, a read starts after all of its questions.
 */
export class SharedReads<Question, Answer> {
  private readonly shared = new Map<string, Shared<Question, Answer>>();

  constructor(private readonly options: SharedReadsOptions<Question, Answer>) {}

  /** Those who asked the same get the same answer, not to be written to. */
  async ask(question: Question): Promise<Answer> {
    const key = this.options.key(question);
    const shared = this.shared.get(key) ?? this.open(key);
    shared.waiting += 1;
    try {
      return await shared.reads.ask(question);
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) this.shared.delete(key);
    }
  }

  private open(key: string): Shared<Question, Answer> {
    const { answer } = this.options;
    const reads = new BatchedReads<Question, Answer>({
      key: () => key,
      answer: async ([question]) => [await answer(question as Question)],
    });
    const opened = { reads, waiting: 0 };
    this.shared.set(key, opened);
    return opened;
  }
}
