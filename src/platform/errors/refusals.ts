/**
 * What is refused, by the room that does: a union of details, each with a `code`. A room declares its own in its
 * `refusals.ts` by `declare module`, and words them in its `v3/` (docs/decisions/0008-errors-are-data.md).
 */
export interface Refusals {
  shared: SharedRefusal;
}

/** The resources that a `notFound` may name, by room. */
export interface Resources {
  shared: never;
}

/** The records that a `recordNotFound` may name, by room. */
export interface Records {
  shared: 'job';
}

/** The rules that a field of a refused record may break, by room. */
export interface FieldRules {
  shared:
    | 'blank'
    | 'invalid'
    | 'missing'
    | 'negative'
    | 'not-a-url'
    | 'not-positive'
    | 'reserved'
    | 'taken'
    | 'too-long'
    | 'too-many'
    | 'too-short';
}

export type Room = keyof Refusals | keyof Resources | keyof FieldRules;

/** What one room has declared in one of these interfaces. */
type Declared<Interface, Of extends Room> = Of extends keyof Interface ? Interface[Of] : never;

export type RefusalOf<Of extends Room> = Declared<Refusals, Of>;
export type ResourceOf<Of extends Room> = Declared<Resources, Of>;
export type FieldRuleOf<Of extends Room> = Declared<FieldRules, Of>;

export type Resource = Resources[keyof Resources];
export type RecordName = Records[keyof Records];
export type FieldRule = FieldRules[keyof FieldRules];

/** A broken rule, with what a face may say about it. */
export interface FieldProblem {
  readonly rule: FieldRule;
  /** The refused value. */
  readonly value?: string | number;
  /** The most or fewest characters, entries or the like, or the highest value. */
  readonly limit?: string | number;
}

/** What is wrong with a record, by field, under the names of the domain: `{ sourceBranch: [{ rule: 'blank' }] }`. */
export type FieldProblems = Readonly<Record<string, readonly FieldProblem[]>>;

/** What the platform refuses, or any room. */
export type SharedRefusal =
  | { readonly code: 'unauthenticated' }
  | { readonly code: 'forbidden' }
  | { readonly code: 'not-found'; readonly resource: Resource }
  | { readonly code: 'record-not-found'; readonly record: RecordName }
  | { readonly code: 'route-not-found' }
  | { readonly code: 'verb-not-routed'; readonly allowed: readonly string[] }
  | { readonly code: 'invalid-parameter'; readonly text: string }
  | { readonly code: 'invalid-fields'; readonly fields: FieldProblems }
  | { readonly code: 'malformed-timestamp'; readonly name: string }
  | { readonly code: 'conflict' }
  | { readonly code: 'not-modified' }
  /** What is to be removed has changed after the time that the caller names. */
  | { readonly code: 'precondition-failed' }
  /** The order of a list has no pages that begin behind an item. */
  | { readonly code: 'keyset-unavailable' }
  | { readonly code: 'page-token-unknown'; readonly token: string }
  | { readonly code: 'too-large' }
  | { readonly code: 'too-slow' }
  | { readonly code: 'unsupported-media-type'; readonly text: string }
  | { readonly code: 'too-many-requests'; readonly retryAfterSeconds: number }
  | {
      readonly code: 'unavailable';
      readonly retryAfterSeconds?: number | undefined;
      readonly reason?: string | undefined;
    };
