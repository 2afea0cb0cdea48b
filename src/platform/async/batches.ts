import { type CallScope, currentScope, runForScopes } from './call-scope.js';
import { Deferred } from './promises.js';

/** How long a batch may hold back the next one in milliseconds: one that hangs must not stop all. */
const PATIENCE_MS = 50;

export interface BatchOptions<Question, Answer> {
  /** Equal questions have equal keys, and are asked once. */
  readonly key: (question: Question) => string | number;
  /** Answers in the order of the questions. Must not be called within a unit of work. */
  readonly answer: (questions: readonly Question[]) => Promise<readonly Answer[]>;
}

interface Asked<Question, Answer> extends Deferred<Answer> {
  readonly question: Question;
  /** Of those who asked it, as far as they are followed. */
  readonly scopes: CallScope[];
}

/**
 * Answers questions of one kind several at a time, with one statement for all who ask at the same
 * moment. Nothing is remembered: a batch starts after every question in it was asked, so an answer is
 * as new as if it had been looked up for one asker alone.
 *
 * While a batch is under way further questions wait for it to end, and then go together: the busier
 * the process, the more of them share a statement.
 */
export class Batches<Question, Answer> {
  private waiting = new Map<string | number, Asked<Question, Answer>>();
  private scheduled = false;
  private busy = false;

  constructor(private readonly options: BatchOptions<Question, Answer>) {}

  /**
   * Those who asked the same get the same answer, not to be written to.
   * @throws whatever the batch failed with, to everyone whose question was in it
   */
  ask(question: Question): Promise<Answer> {
    const key = this.options.key(question);
    let asked = this.waiting.get(key);
    if (asked === undefined) {
      asked = Object.assign(new Deferred<Answer>(), { question, scopes: [] });
      this.waiting.set(key, asked);
      this.schedule();
    }
    const scope = currentScope();
    if (scope !== undefined) asked.scopes.push(scope);
    return asked.promise;
  }

  // Not at once: requests that arrived together come here one after the other within this turn.
  private schedule(): void {
    if (this.scheduled || this.busy) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.start();
    });
  }

  private start(): void {
    const batch = [...this.waiting.values()];
    this.waiting = new Map();
    this.busy = true;
    let open = (): void => {
      open = () => undefined;
      clearTimeout(patience);
      this.busy = false;
      if (this.waiting.size > 0) this.schedule();
    };
    const patience = setTimeout(() => open(), PATIENCE_MS);
    const scopes = batch.flatMap((asked) => asked.scopes);
    void runForScopes(scopes, () => this.settle(batch)).then(() => open());
  }

  private async settle(batch: readonly Asked<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.options.answer(batch.map(({ question }) => question));
      if (answers.length !== batch.length) throw new Error('A batch was not answered in full');
      batch.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
