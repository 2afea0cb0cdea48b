import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { OutboundHosts, type PinnedHost } from '../../../platform/net/index.js';
import {
  type AttemptOutcome,
  failureOfError,
  failureOfStatus,
  type ReceiverAnswer,
} from './delivery-attempt.js';
import type { DeliveryRequest } from './delivery-request.js';

/** From looking the name up to the last byte of the answer (open points 7.1). */
const TIME_LIMIT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

export interface SendOptions {
  readonly verifiesCertificate: boolean;
  /** Aborted when the worker has to stop. */
  readonly signal: AbortSignal;
}

/**
 * Posts to receivers. Each attempt looks the host up, checks every address it has, and connects to
 * exactly these; it follows no redirect, knows no proxy and sends no credential but what it was given.
 */
@Injectable()
export class HttpSender {
  // Agents of our own: Node's may be told by the environment to use a proxy.
  private readonly plain = new HttpAgent({ keepAlive: false });
  private readonly secure = new HttpsAgent({ keepAlive: false, maxCachedSessions: 0 });

  constructor(private readonly hosts: OutboundHosts) {}

  /** @throws the signal's reason when it was aborted, and nothing else */
  async send(request: DeliveryRequest, options: SendOptions): Promise<AttemptOutcome> {
    const began = performance.now();
    const limit = AbortSignal.timeout(TIME_LIMIT_MS);
    const signal = AbortSignal.any([options.signal, limit]);
    const duration = () => Math.round(performance.now() - began);
    try {
      const host = await orAborted(this.hosts.pin(request.url.hostname), signal);
      const answer = await this.post(request, host, { ...options, signal });
      return { durationMs: duration(), answer, failure: failureOfStatus(answer.status) };
    } catch (error) {
      options.signal.throwIfAborted();
      const failure = failureOfError(limit.aborted ? limit.reason : error);
      return { durationMs: duration(), answer: null, failure };
    }
  }

  private post(
    { url, headers, body }: DeliveryRequest,
    host: PinnedHost,
    { verifiesCertificate, signal }: SendOptions,
  ): Promise<ReceiverAnswer> {
    const isSecure = url.protocol === 'https:';
    const options: RequestOptions = {
      method: 'POST',
      headers,
      signal,
      agent: isSecure ? this.secure : this.plain,
      lookup: lookupOf(host),
      rejectUnauthorized: verifiesCertificate,
    };
    return new Promise((resolve, reject) => {
      const request = isSecure ? requestHttps(url, options) : requestHttp(url, options);
      request.on('error', reject);
      request.on('response', (response) => {
        readAnswer(response).then(resolve, reject);
      });
      // Bytes: with a text Node would write the headers in the text's encoding as well.
      request.end(Buffer.from(body));
    });
  }
}

async function readAnswer(response: IncomingMessage): Promise<ReceiverAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length >= MAX_ANSWER_BYTES) break;
  }
  const body = Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString();
  return { status: response.statusCode ?? 0, headers: plainHeaders(response), body };
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value = '']) => [name, String(value)]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Answers the addresses that were checked, whatever the name's server would say by now. */
function lookupOf({ addresses }: PinnedHost): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all: wantsAll }, callback) => {
    const [first] = all;
    if (wantsAll === true) callback(null, all);
    else callback(null, first?.address ?? '', first?.family);
  };
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
