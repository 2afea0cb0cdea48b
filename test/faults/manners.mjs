// How receivers answer. The worker gives an answer ten seconds.
import { setTimeout as delay } from 'node:timers/promises';

const REFUSED_ATTEMPTS = 2;
const DRIPPED_SLOWLY_MS = 10;
/** So that the worker's patience ends before the answer does. */
const DRIPPED_TOO_SLOWLY_MS = 250;

function answer({ response, succeed }, status, headers = {}) {
  if (status < 300) response.once('finish', succeed);
  response.writeHead(status, headers).end('ok');
}

export function healthy(random, mostMs) {
  return async (exchange) => {
    await delay(random.integer(0, mostMs));
    answer(exchange, random.pick([200, 201, 204]));
  };
}

/** Answers each delivery with an error at first. */
export function failing(random) {
  return (exchange) => {
    if (exchange.attempt > REFUSED_ATTEMPTS) return answer(exchange, 200);
    const headers = random.chance(0.2) ? { 'Retry-After': '1' } : {};
    answer(exchange, random.pick([500, 500, 502, 503]), headers);
  };
}

/** Breaks the connection off at first, before an answer or within one that promised well. */
export function resetting(random) {
  return async (exchange) => {
    if (exchange.attempt > REFUSED_ATTEMPTS) return answer(exchange, 200);
    const { response } = exchange;
    if (random.chance(0.5)) {
      await new Promise((resolve) => {
        response.writeHead(200, { 'Content-Length': '1000' }).write('begun', resolve);
      });
    }
    response.socket?.resetAndDestroy();
  };
}

/** Does not answer the first attempt of some deliveries. */
export function stalling(deliveries) {
  return (exchange) => {
    const { attempt, message } = exchange;
    if (attempt > 1 || message.place >= deliveries) answer(exchange, 200);
  };
}

/**
 * Answers byte by byte, the status line included: the first attempt of some deliveries so slowly that
 * it takes too long, later ones slowly.
 */
export function dripping(deliveries) {
  return async (exchange) => {
    const { attempt, message, response, succeed } = exchange;
    if (message.place >= 5 * deliveries) return answer(exchange, 200);
    const isTooSlow = attempt === 1 && message.place < deliveries;
    const text = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok';
    for (const character of text) {
      if (response.socket === null || response.socket.destroyed) return;
      response.socket.write(character);
      await delay(isTooSlow ? DRIPPED_TOO_SLOWLY_MS : DRIPPED_SLOWLY_MS);
    }
    succeed();
    response.socket?.end();
  };
}
