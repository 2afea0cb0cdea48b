import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const FLUSH = '0000';
const DELIMITER = '0001';

const packet = (text) => (text.length + 4).toString(16).padStart(4, '0') + text;

/**
 * Fetches a commit with all its history from an address without a credential and drops what comes,
 * by the protocol's version 2. After the first bytes it reads nothing for a while: a server that
 * does not wait for its client fills its memory then.
 * @param {Record<string, string>} [headers] further ones
 * @returns {Promise<number>} bytes received
 */
export async function fetchPack(address, commit, stallMs, headers = {}) {
  const lines = ['command=fetch', DELIMITER, 'no-progress', `want ${commit}`, 'done', FLUSH];
  const raw = new Set([DELIMITER, FLUSH]);
  const body = lines.map((line) => (raw.has(line) ? line : packet(`${line}\n`))).join('');
  const call = request(`${address}/git-upload-pack`, {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Type': 'application/x-git-upload-pack-request',
      'Content-Length': body.length,
      'Git-Protocol': 'version=2',
    },
  }).end(body);
  const [response] = await once(call, 'response');
  if (response.statusCode !== 200) throw new Error(`${address}: ${response.statusCode}`);
  return drop(response, stallMs);
}

async function drop(response, stallMs) {
  let bytes = 0;
  for await (const chunk of response) {
    if (bytes === 0) await delay(stallMs);
    bytes += chunk.length;
  }
  return bytes;
}
