import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ExactRequest {
  readonly method: string;
  /** Sent as it is, escapes included. */
  readonly path: string;
  /** The only headers besides `Host` and, with a body, `Content-Length`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ExactAnswer {
  readonly status: number;
  /** Name and value by turns, as they came. */
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends one request with exactly these headers and bytes, as a client that is no test library does. */
export async function sendExactly(url: string, sent: ExactRequest): Promise<ExactAnswer> {
  const { method, path, headers, body = '' } = sent;
  const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method, path, headers: { ...headers, ...length }, agent: false },
      (response) => {
        const { statusCode = 0, rawHeaders, headers: received } = response;
        text(response).then(
          (whole) => resolve({ status: statusCode, rawHeaders, headers: received, text: whole }),
          reject,
        );
      },
    );
    call.once('error', reject);
    call.end(body);
  });
}
