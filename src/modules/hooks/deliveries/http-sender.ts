import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { GrowingBuffer } from '../../../platform/collections/index.js';
import { OutboundHosts, type PinnedHost } from '../../../platform/net/index.js';
import type { DeliveryRequest, ReceiverResponse } from './delivery-request.js';
import type { FailureCause } from './hook-delivery.entity.js';

const MAX_RESPONSE_BYTES = 64 * 1024;
/** A chunk of a single byte costs as much as a large one. */
const MAX_RESPONSE_PIECES = 250;
/** Of an answer, before it is looked at. */
const PARSED_BYTES = 2 * 1024;
/** Of status 1xx, before the response itself. */
const MAX_INFORMATIONAL_RESPONSES = 10;
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/;

export interface SendOptions {
  readonly verifiesCertificate: boolean;
  /** Aborted when the worker has to stop. */
  readonly signal: AbortSignal;
}

/** The result of an attempt. */
export interface AttemptResult {
  readonly durationMs: number;
  /** Null when there was none, or none that was complete in time. */
  readonly response: ReceiverResponse | null;
  /** Null when the attempt succeeded. */
  readonly failure: { readonly cause: FailureCause; readonly message: string } | null;
}

export interface FailedResult extends AttemptResult {
  readonly failure: NonNullable<AttemptResult['failure']>;
}

export const hasFailed = (result: AttemptResult): result is FailedResult => result.failure !== null;

/**
 * Posts requests to receivers. Each attempt looks the host up, checks every address that it has, and
 * connects to exactly these. Redirects are not followed, proxies not used, and no credentials sent besides
 * those of the request.
 */
@Injectable()
export class HttpSender {
  /** From the look-up of the name to the last byte of the response; milliseconds. */
  readonly timeLimitMs: number = 10_000;

  // Agents of our own: Node's global agents may be configured to use a proxy by the environment.
  private readonly httpAgent = new HttpAgent({ keepAlive: false });
  private readonly httpsAgent = new HttpsAgent({ keepAlive: false, maxCachedSessions: 0 });

  constructor(private readonly hosts: OutboundHosts) {}

  /** @throws the signal's reason when it is aborted, and nothing else */
  async send(request: DeliveryRequest, options: SendOptions): Promise<AttemptResult> {
    const began = performance.now();
    const timeout = AbortSignal.timeout(this.timeLimitMs);
    const signal = AbortSignal.any([options.signal, timeout]);
    const duration = () => Math.round(performance.now() - began);
    try {
      const host = await rejectOnAbort(this.hosts.pin(request.url.hostname), signal);
      const response = await this.post(request, host, { ...options, signal });
      return { durationMs: duration(), response, failure: failureOfStatus(response.status) };
    } catch (error) {
      options.signal.throwIfAborted();
      const failure = timeout.aborted ? this.timedOut() : failureOfError(error);
      return { durationMs: duration(), response: null, failure };
    }
  }

  private timedOut(): FailedResult['failure'] {
    const seconds = String(this.timeLimitMs / 1_000);
    return { cause: 'timeout', message: `No complete answer within ${seconds} seconds` };
  }

  private post(
    { url, headers, body }: DeliveryRequest,
    host: PinnedHost,
    { verifiesCertificate, signal }: SendOptions,
  ): Promise<ReceiverResponse> {
    const isSecure = url.protocol === 'https:';
    const options: RequestOptions = {
      method: 'POST',
      headers,
      signal,
      agent: isSecure ? this.httpsAgent : this.httpAgent,
      lookup: pinnedLookup(host),
      rejectUnauthorized: verifiesCertificate,
    };
    return new Promise((resolve, reject) => {
      const request = isSecure ? requestHttps(url, options) : requestHttp(url, options);
      request.on('error', reject);
      request.on('socket', (socket) => {
        // Node's listener leaves with an upgrade, which may follow in what has been received with the reason of an error.
        socket.on('error', () => undefined);
        readInParts(socket);
      });
      let informational = 0;
      request.on('information', () => {
        informational += 1;
        if (informational > MAX_INFORMATIONAL_RESPONSES) {
          request.destroy(new Error('The receiver sent too many informational responses'));
        }
      });
      // Status 101. Without a listener Node only closes the connection: neither a response nor an error would follow.
      request.on('upgrade', (response, socket) => {
        socket.destroy();
        resolve(responseOf(response, ''));
      });
      request.on('response', (response) => {
        readResponse(response).then(resolve, reject);
      });
      // A buffer: with a string Node would write the headers in the string's encoding as well.
      request.end(Buffer.from(body));
    });
  }
}

/**
 * Hands on what a connection receives in parts: one read may hold thousands of chunks of a body, and would be parsed to its end
 * after the connection was closed.
 */
function readInParts(socket: Socket): void {
  const push = socket.push.bind(socket);
  socket.push = (received: Buffer | null) => {
    if (received === null) return push(null);
    let wantsMore = true;
    for (let at = 0; at < received.length && !socket.destroyed; at += PARSED_BYTES) {
      wantsMore = push(received.subarray(at, at + PARSED_BYTES));
    }
    return wantsMore;
  };
}

/** Reads the beginning of an answer. Its status says whether the delivery succeeded, whatever follows. */
async function readResponse(response: IncomingMessage): Promise<ReceiverResponse> {
  const body = new GrowingBuffer();
  let pieces = 0;
  await new Promise<void>((resolve, reject) => {
    const end = response.push.bind(response, null);
    // As they are parsed: events come after all that was received together.
    response.push = (piece: Buffer | null) => {
      if (piece === null) return end();
      if (response.destroyed) return false;
      body.add(piece);
      pieces += 1;
      if (body.length < MAX_RESPONSE_BYTES && pieces < MAX_RESPONSE_PIECES) return true;
      resolve();
      response.destroy();
      return false;
    };
    response.on('end', resolve).on('error', reject).resume();
  });
  return responseOf(response, body.bytes.subarray(0, MAX_RESPONSE_BYTES).toString());
}

function responseOf(response: IncomingMessage, body: string): ReceiverResponse {
  return { status: response.statusCode ?? 0, headers: plainHeaders(response), body };
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value = '']) => [name, String(value)]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Null for 2xx. Redirects are failures too. */
function failureOfStatus(status: number): AttemptResult['failure'] {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return { cause: 'gone', message: 'The receiver wants no more deliveries' };
  return { cause: 'status', message: `The receiver answered ${String(status)}` };
}

/** Classifies why there is no response. */
function failureOfError(error: unknown): FailedResult['failure'] {
  const { name = '', code = '', message } = error as Partial<NodeJS.ErrnoException>;
  const text = message ?? String(error);
  if (name === 'HostRefusedError') return { cause: 'refused', message: text };
  if (name === 'HostUnknownError') return { cause: 'dns', message: text };
  if (TLS_CODE.test(code)) return { cause: 'tls', message: text };
  return { cause: 'network', message: text };
}

/** Returns the addresses that were checked, whatever the name resolves to by now. */
function pinnedLookup({ addresses }: PinnedHost): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all: wantsAll }, callback) => {
    const [first] = all;
    if (wantsAll === true) callback(null, all);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** Settles as the promise does, but rejects as soon as the signal is aborted. */
function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
