// Hooks: deliveries to receivers of the attacker's own, which answer slowly, endlessly or never.
import { createServer } from 'node:http';
import { once } from 'node:events';

/** How a receiver treats a delivery. */
const MANNERS = {
  silent: () => undefined,
  dripping: (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('a'), 500);
    response.once('close', () => clearInterval(timer));
  },
  endless: (_, response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(1024 * 1024, 'a');
    const send = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', send);
    send();
  },
  pieces: (_, response) => {
    response.socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    response.socket.write('1\r\na\r\n'.repeat(200_000));
  },
  headers: (_, response) => {
    response.writeHead(200, { 'X-Long': 'a'.repeat(15_000) });
    response.end();
  },
  redirecting: (request, response) => {
    response.writeHead(302, { Location: request.url }).end();
  },
  failing: (_, response) => {
    response.writeHead(500).end('a'.repeat(100_000));
  },
  resetting: (request) => request.socket.destroy(),
  informational: ({ socket }) => {
    const block = 'HTTP/1.1 100 \r\n\r\n'.repeat(4_000);
    const send = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', send);
    send();
  },
  switching: ({ socket }) => {
    socket.write('HTTP/1.1 101 Switching\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n');
  },
};

const DELIVERIES = {
  vary: (random) => ({
    manner: random.pick(Object.keys(MANNERS)),
    hooks: random.integer(5, 40),
    issues: random.integer(20, 100),
    bytes: random.pick([10, 50_000, 900_000]),
  }),
  async prepare(world, { manner, hooks }) {
    const server = createServer(MANNERS[manner]).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const project = await world.project();
    const url = `http://127.0.0.1:${server.address().port}/`;
    const flags = { issues_events: true, note_events: true, push_events: true };
    for (let index = 0; index < hooks; index += 1) {
      const body = { url: `${url}${index}`, ...flags };
      await world.must({ method: 'POST', path: `${project.api}/hooks`, body });
    }
    return project;
  },
  async run(world, { issues, bytes }, { api }) {
    const { token } = world.mallory;
    const body = { title: 'An issue', description: 'word '.repeat(bytes / 5) };
    await world.many(4, () =>
      world.repeat(issues / 4, () =>
        world.attack({ method: 'POST', path: `${api}/issues`, token, body }),
      ),
    );
    const path = `${api}/hooks`;
    const { text } = await world.attack({ path, token });
    for (const { id } of JSON.parse(text || '[]').slice(0, 5)) {
      await world.attack({ method: 'POST', path: `${path}/${id}/test`, token, body: {} });
      await world.attack({ path: `${path}/${id}/deliveries`, token });
    }
  },
};

export const HOOKS = [
  {
    name: 'slow-receivers',
    about: 'twenty hooks on receivers that never answer, and many events',
    sample: { manner: 'silent', hooks: 20, issues: 60, bytes: 10 },
    ...DELIVERIES,
  },
  {
    name: 'informational-receivers',
    about: 'twenty hooks on receivers that send responses of status 100 without end',
    sample: { manner: 'informational', hooks: 20, issues: 60, bytes: 10 },
    ...DELIVERIES,
  },
  {
    name: 'answers-in-pieces',
    about: 'receivers that answer in chunks of one byte',
    sample: { manner: 'pieces', hooks: 20, issues: 60, bytes: 10 },
    ...DELIVERIES,
  },
  {
    name: 'switching-receivers',
    about: 'twenty hooks on receivers that switch protocols',
    sample: { manner: 'switching', hooks: 20, issues: 60, bytes: 10 },
    ...DELIVERIES,
  },
];
