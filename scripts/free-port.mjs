import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Outside the ephemeral range, from which the system may assign a freed port before it is bound. */
const PORTS = [20_000, 32_000];
const given = new Set();

/** A free port of the loopback interface. */
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
