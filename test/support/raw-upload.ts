import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';

/** What ends a body. */
export const END = Buffer.from('\r\n--x--\r\n');

/** What begins the part of the field `file`; `filename` as RFC 8187 escapes it. */
export function filePart(filename: string): Buffer {
  const escaped = encodeURIComponent(filename).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16)}`,
  );
  const disposition = `form-data; name="file"; filename="x"; filename*=utf-8''${escaped}`;
  return Buffer.from(`--x\r\nContent-Disposition: ${disposition}\r\n\r\n`);
}

export interface RawUpload {
  /** The address to send to. */
  url: string;
  /** Null sends without a credential. */
  token: string | null;
  parts: readonly Buffer[];
  /** False leaves the body without its end. */
  end?: boolean;
}

/** Sends pieces of a multipart body one by one, without announcing its size. */
export function sendParts({ url, token, parts, end = true }: RawUpload): ClientRequest {
  const outgoing = request(url, {
    method: 'POST',
    headers: {
      ...(token === null ? {} : { 'PRIVATE-TOKEN': token }),
      'Content-Type': 'multipart/form-data; boundary=x',
      'Transfer-Encoding': 'chunked',
    },
  });
  // A client that is cut off, or leaves by itself, has nothing to say about it.
  outgoing.on('error', () => undefined);
  for (const part of parts) outgoing.write(part);
  if (end) outgoing.end();
  return outgoing;
}

/** Status and body of the answer. */
export async function answerTo(outgoing: ClientRequest): Promise<[number | undefined, unknown]> {
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return [response.statusCode, await json(response)];
}
