/**
 * A refusal. Its meaning lies in `detail` alone; how it is answered over HTTP is decided in one table
 * of the HTTP platform.
 */
export class DomainError extends Error {
  constructor(readonly detail: ErrorDetail) {
    super(describe(detail));
    this.name = 'DomainError';
  }
}

// The message is for logs and test reports; no client sees it.
function describe({ code, ...rest }: ErrorDetail): string {
  return Object.keys(rest).length === 0 ? code : `${code} ${JSON.stringify(rest)}`;
}

/** Texts of a refused record by field, each without the field's name: `{ title: ["can't be blank"] }`. */
export type FieldTexts = Readonly<Record<string, readonly string[]>>;

/** The three bodies in which a request that is understood but cannot be done is refused. */
export type UnprocessableBody =
  { readonly error: string | readonly string[] } | { readonly message: string };

/** Everything a use case or the platform can refuse, as data. */
type ErrorDetail =
  | { readonly code: 'unauthenticated' }
  | { readonly code: 'forbidden'; readonly reason?: string }
  | { readonly code: 'limit-reached'; readonly texts: readonly string[] }
  | { readonly code: 'not-found'; readonly resource: Resource }
  | { readonly code: 'record-not-found' }
  | { readonly code: 'named-not-found'; readonly text: string }
  | { readonly code: 'absent'; readonly text: string }
  | { readonly code: 'route-not-found' }
  | { readonly code: 'verb-not-routed'; readonly allowed: readonly string[] }
  | { readonly code: 'invalid-parameter'; readonly text: string }
  | { readonly code: 'invalid-record'; readonly fields: FieldTexts }
  | { readonly code: 'rule-violated'; readonly text: string }
  | { readonly code: 'conflict'; readonly reason?: string | readonly string[] | FieldTexts }
  | { readonly code: 'conflict-as-not-found'; readonly reason: string }
  | { readonly code: 'not-modified' }
  | { readonly code: 'not-allowed'; readonly text?: string }
  | { readonly code: 'not-acceptable'; readonly text: string }
  | { readonly code: 'unprocessable'; readonly body: UnprocessableBody }
  | { readonly code: 'too-large' }
  | { readonly code: 'storage-limit'; readonly text: string }
  | { readonly code: 'too-slow' }
  | { readonly code: 'unsupported-media-type'; readonly text: string }
  | { readonly code: 'too-many-requests'; readonly retryAfterSeconds: number }
  | {
      readonly code: 'unavailable';
      readonly retryAfterSeconds?: number | undefined;
      readonly reason?: string | undefined;
    };

export type ErrorCode = ErrorDetail['code'];

/** The detail that belongs to one code. */
export type DetailOf<C extends ErrorCode> = Extract<ErrorDetail, { code: C }>;

/** What a `404 <name> Not Found` may name (docs/reference/errors.md). */
export type Resource =
  | 'Award Emoji'
  | 'Blob'
  | 'Branch'
  | 'Commit'
  | 'Commit Status'
  | 'Deploy Key'
  | 'Email'
  | 'File'
  | 'Forked Project'
  | 'Group'
  | 'Group Link'
  | 'Issue'
  | 'Key'
  | 'Label'
  | 'Merge Request'
  | 'Milestone'
  | 'Namespace'
  | 'Note'
  | 'Project'
  | 'Project Member'
  | 'Release'
  | 'System hook'
  | 'Tag'
  | 'Target Namespace'
  | 'Tree'
  | 'User';

/** The client disconnected before its request was complete or answered, which is no failure of the service. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}
