// What attackers send over HTTP. A client of its own, since others refuse to misbehave.
import { request } from 'node:http';
import { connect } from 'node:net';

/** Of answers, so much is kept for whoever asked, unless told otherwise; the rest is read and counted. */
const KEPT_BYTES = 256 * 1024;

/**
 * Sends a request and reads the whole answer.
 * @param body text, bytes, or a value to be sent as JSON
 * @param keptBytes how much of the answer is kept
 * @param from the local address, so that budgets by address can be told apart
 * @returns `status` (null without a whole answer), `headers`, `text`, `bytes`, and `end`: `answered`,
 *   `closed` (the connection broke) or `open` (aborted while it was waiting)
 */
export function ask(
  base,
  { method = 'GET', path, headers = {}, token, body, from, signal, agent, keptBytes = KEPT_BYTES },
) {
  return new Promise((resolve) => {
    const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
    const bytes = isJson ? JSON.stringify(body) : body;
    const options = {
      agent: agent ?? false,
      method,
      path,
      signal,
      localAddress: from,
      headers: {
        ...(token === undefined ? {} : { 'PRIVATE-TOKEN': token }),
        ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(bytes) }),
        ...(isJson ? { 'Content-Type': 'application/json' } : {}),
        ...headers,
      },
    };
    let answer;
    const fail = () => {
      // An early refusal is an answer, even when the connection ends with the body half sent.
      const whole = answer?.response.complete === true;
      if (whole) resolve(finished(answer));
      else
        resolve({ status: null, end: signal?.aborted ? 'open' : 'closed', headers: {}, text: '' });
    };
    const sent = request(new URL(base), options);
    sent.once('response', (response) => {
      answer = { response, chunks: [], kept: 0, bytes: 0 };
      response.on('data', (chunk) => {
        answer.bytes += chunk.length;
        if (answer.kept >= keptBytes) return;
        answer.chunks.push(chunk);
        answer.kept += chunk.length;
      });
      response.once('end', () => resolve(finished(answer)));
      response.on('error', fail);
      response.once('close', fail);
    });
    sent.on('error', fail);
    sent.once('close', () => setTimeout(fail, 100).unref());
    sent.end(bytes);
  });
}

function finished({ response, chunks, bytes }) {
  return {
    status: response.statusCode,
    end: 'answered',
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
    bytes,
  };
}

/** A connection that sends what it is given and reads only when asked to. */
export class HeldConnection {
  /** @param port of HTTP or SSH; @param from the local address */
  constructor({ port, from = '127.0.0.2' }) {
    this.isClosed = false;
    this.socket = connect({ port, host: '127.0.0.1', localAddress: from });
    this.socket.on('error', () => undefined);
    this.socket.once('close', () => (this.isClosed = true));
  }

  write(bytes) {
    if (!this.isClosed) this.socket.write(bytes);
  }

  /** The status line, or the greeting of an SSH server; null when nothing has come. */
  firstLine() {
    const chunk = this.socket.read();
    return chunk === null ? null : chunk.toString('latin1').split(/\r?\n/, 1)[0];
  }

  close() {
    this.socket.destroy();
  }
}

/** A request as text, whose body may follow later or never. */
export function head(method, path, headers = {}) {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([k, v]) => `${k}: ${v}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
