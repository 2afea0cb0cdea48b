import { Batches, type BatchOptions } from '../async/index.js';
import { transactionContext } from './transaction-context.js';

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
