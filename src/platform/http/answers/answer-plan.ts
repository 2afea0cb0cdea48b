/** How whatever a handler returns is to be answered. */
export interface AnswerPlan {
  /** Status of success. */
  readonly status: number;
  /** Whether nothing to answer is an empty body, rather than `null`. */
  readonly emptyWhenAbsent: boolean;
  /** The service's own address, for the links of pages; without a trailing slash. */
  readonly externalUrl: () => string;
}

const plans = new WeakMap<object, AnswerPlan>();

export function planAnswer(response: object, plan: AnswerPlan): void {
  plans.set(response, plan);
}

/** Undefined for requests outside the API and for handlers that answer themselves. */
export function plannedAnswer(response: object): AnswerPlan | undefined {
  return plans.get(response);
}
