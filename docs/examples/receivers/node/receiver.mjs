// Receives deliveries of a Trellis hook and refuses those that were not signed with its token.
// Run with: HOOK_TOKEN=the-token-of-the-hook PORT=4000 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const TOLERANCE_S = 300;
const MAX_BYTES = 8 * 1024 * 1024;
const token = process.env.HOOK_TOKEN;
if (!token) throw new Error('HOOK_TOKEN is not set');
const key = token.startsWith('whsec_')
  ? Buffer.from(token.slice('whsec_'.length), 'base64')
  : Buffer.from(token);

/** Ids of what has been handled. A service keeps them in its database, longer than deliveries are retried. */
const handled = new Set();

function isGenuine(headers, body) {
  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (!/^\d+$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // The header may list several signatures.
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const server = createServer((request, response) => {
  const parts = [];
  let length = 0;
  request.on('data', (part) => {
    length += part.length;
    if (length > MAX_BYTES) request.destroy();
    else parts.push(part);
  });
  request.on('error', () => {});
  request.on('end', () => {
    const body = Buffer.concat(parts);
    if (!isGenuine(request.headers, body)) {
      response.writeHead(401).end();
      return;
    }
    const id = request.headers['webhook-id'];
    // A repetition is answered as a success, so that it is not sent once more.
    if (!handled.has(id)) {
      const event = JSON.parse(body.toString());
      console.log(event.object_kind ?? event.event_name, id);
      handled.add(id);
    }
    response.writeHead(204).end();
  });
});
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  console.log(`listening on ${server.address().port}`);
});
