import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { HttpSender } from '../../../src/modules/hooks/deliveries/http-sender.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
const TOO_MANY = 'The receiver sent too many informational responses';

/** A receiver that writes bytes of its own choice. */
class RawReceiver {
  /** Of the connections that the service has closed. */
  closed = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  /** @param answer what it writes to a connection on which something has arrived */
  static async start(answer: (socket: Socket) => void): Promise<RawReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    const receiver = new RawReceiver(server);
    server.on('connection', (socket) => {
      receiver.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => (receiver.closed += 1));
      socket.once('data', () => answer(socket));
    });
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** Writes the same again and again, as long as it is read. */
function writeEndlessly(socket: Socket, text: string): void {
  const block = text.repeat(1_000);
  const write = (): void => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('drain', write);
  write();
}

describe('Informational responses of receivers', () => {
  let trellis: Trellis;
  let hooks: HookDeliveries;
  let receiver: RawReceiver;

  beforeAll(async () => {
    const settings = { WEBHOOK_RETRY_SECONDS: '0.1' };
    trellis = await Trellis.shared({ runsJobs: true, settings });
    hooks = new HookDeliveries(trellis);
    // Whatever ends an attempt here, it is not the time.
    const sender = trellis.app.get(HttpSender);
    const { timeLimitMs } = sender;
    Object.assign(sender, { timeLimitMs: 60_000 });
    trellis.afterwards(() => void Object.assign(sender, { timeLimitMs }));
  });
  afterEach(() => receiver.stop());
  afterAll(() => trellis.restore());

  const deliver = async () => hooks.ended(await hooks.queue(await hooks.hook(receiver.url)));

  it('may precede the response', async () => {
    receiver = await RawReceiver.start((socket) => {
      socket.end(`${EARLY_HINTS.repeat(10)}HTTP/1.1 204 No Content\r\n\r\n`);
    });
    expect(await deliver()).toMatchObject({ state: 'delivered', response_status: 204 });
  });

  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103', EARLY_HINTS],
    ['an unknown number', 'HTTP/1.1 199 \r\n\r\n'],
  ])('fail the attempt when they never end, with status %s', async (_, text) => {
    receiver = await RawReceiver.start((socket) => writeEndlessly(socket, text));
    expect(await deliver()).toMatchObject({ state: 'failed', attempts: 2, message: TOO_MANY });
    expect(receiver.closed).toBe(2);
  });

  it.each([
    ['to a WebSocket', 'Upgrade: websocket\r\nConnection: Upgrade\r\n'],
    ['to nothing', ''],
  ])('fail the attempt when they switch protocols %s', async (_, headers) => {
    receiver = await RawReceiver.start((socket) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`);
    });
    expect(await deliver()).toMatchObject({
      ...{ state: 'failed', attempts: 2, cause: 'status', response_status: 101 },
      message: 'The receiver answered 101',
    });
    expect(receiver.closed).toBe(2);
  });

  it('fail the attempt when protocols are switched after too many of them', async () => {
    const upgrade = 'HTTP/1.1 101 Switching\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n';
    for (let count = 8; count < 14; count += 1) {
      receiver = await RawReceiver.start((socket) => {
        socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(count) + upgrade);
      });
      expect(await deliver()).toMatchObject({ state: 'failed', attempts: 2 });
      if (count < 13) await receiver.stop();
    }
  });
});
