import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Text of a body in chunks of so many bytes. */
export function inChunks(content: Buffer, bytes: number): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < content.length; at += bytes) {
    const chunk = content.subarray(at, at + bytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

export interface ChunkedRequest {
  method?: string;
  /** With the prefix of the API. */
  path: string;
  headers?: Readonly<Record<string, string>>;
}

/** What precedes a body in chunks. */
export function headOfChunked({ method = 'POST', path, headers = {} }: ChunkedRequest): string {
  const lines = Object.entries({ Host: 'x', 'Transfer-Encoding': 'chunked', ...headers });
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${method} ${path} HTTP/1.1\r\n${fields}\r\n`;
}

export interface RawConversation {
  /** What came before the service ended its direction. */
  text: string;
  socket: Socket;
}

/** Sends bytes over a connection of its own and reads until the service ends its direction, or has answered `until`. */
export async function converse(
  url: string,
  bytes: readonly (string | Buffer)[],
  until?: RegExp,
): Promise<RawConversation> {
  const socket = connect({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  // What a service that reads no more does to a client that still sends.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  let text = '';
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (until?.test(text) === true) resolve();
    });
    socket.once('end', resolve).once('close', resolve);
  });
  for (const part of bytes) socket.write(part);
  await answered;
  return { text, socket };
}
