export interface Answered {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  text: string;
}

/** What is wrong with an answer, if anything: a failure of the service, or a refusal without JSON. */
export function complaintOf({ status, headers, text }: Answered): string | undefined {
  if (status >= 500) return `${String(status)} ${text}`;
  if (status < 400) return undefined;
  const isJson = headers['content-type'] === 'application/json';
  return isJson && isError(text) ? undefined : `${String(status)} with ${text}`;
}

function isError(text: string): boolean {
  const body: unknown = JSON.parse(text);
  return typeof body === 'object' && body !== null && ('message' in body || 'error' in body);
}
