import { Batches, type BatchOptions } from '../async/index.js';
import { type ReadTarget, readTarget, runOnTarget } from './replicas/read-scope.js';
import { transactionContext } from './unit-of-work.js';

/**
 * Look-ups that concurrent requests share a statement for, those that read from the same standby, or from the primary.
 * Within a unit of work a question is asked alone, in its transaction, whose changes it has to see.
 */
export class BatchedReads<Question, Answer> {
  private readonly ofPrimary: Batches<Question, Answer>;
  private readonly ofStandbys = new WeakMap<ReadTarget, Batches<Question, Answer>>();

  constructor(private readonly options: BatchOptions<Question, Answer>) {
    this.ofPrimary = this.batchesOn(undefined);
  }

  async ask(question: Question): Promise<Answer> {
    if (transactionContext.getStore() === undefined) return this.batches().ask(question);
    const [answer] = await this.options.answer([question]);
    return answer as Answer;
  }

  private batches(): Batches<Question, Answer> {
    const target = readTarget();
    if (target === undefined) return this.ofPrimary;
    const batches = this.ofStandbys.get(target) ?? this.batchesOn(target);
    this.ofStandbys.set(target, batches);
    return batches;
  }

  /** A batch runs in the chain of calls of any of those who ask. */
  private batchesOn(target: ReadTarget | undefined): Batches<Question, Answer> {
    const { key, answer } = this.options;
    return new Batches({
      key,
      answer: (questions) => runOnTarget(target, () => answer(questions)),
    });
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
