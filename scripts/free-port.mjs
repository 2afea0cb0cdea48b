import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the system gives to connections, and to listeners that name none: it would soon give a freed one away. */
const PORTS = [20_000, 32_000];
const given = new Set();

/** A port of the loopback interface that is listened on by none. */
export async function freePort() {
  for (;;) {
    const port = randomInt(...PORTS);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error.code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
