/** Parses what one client has sent, in steps. */
export interface Parser {
  /** Takes a step. Returns whether there is another one. */
  parseStep(): boolean;
}

/** The time that all connections together get in a turn of the event loop; milliseconds. */
const TURN_MS = 4;

/**
 * Bounds the time that parsing takes in a turn of the event loop, so that other work of the process is not delayed. What
 * is left goes to the next turn, in which the connections take steps one after the other.
 */
export class ParsingTurns {
  /** In order. */
  private readonly waiting = new Set<Parser>();
  /** Of the present turn, by `now`; undefined while nothing has been parsed in it. */
  private end: number | undefined;

  /** @param now milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Parses what there is time for; the rest in later turns. */
  parse(parser: Parser): void {
    this.waiting.add(parser);
    this.begin();
    if (this.waiting.size === 1) this.takeSteps();
  }

  delete(parser: Parser): void {
    this.waiting.delete(parser);
  }

  private begin(): void {
    if (this.end !== undefined) return;
    this.end = this.now() + TURN_MS;
    setImmediate(() => {
      this.end = undefined;
      if (this.waiting.size === 0) return;
      this.begin();
      this.takeSteps();
    });
  }

  private takeSteps(): void {
    // A parser that is added again comes after all others.
    for (const parser of this.waiting) {
      if (this.end === undefined || this.now() >= this.end) return;
      this.waiting.delete(parser);
      if (parser.parseStep()) this.waiting.add(parser);
    }
  }
}
