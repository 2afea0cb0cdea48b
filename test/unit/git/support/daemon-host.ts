import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Repository } from '../../../../src/git/index.js';
import type { PushRules } from './http-host.js';

/** Speaks the `git://` protocol, in which one conversation goes both ways, as over SSH. */
export class DaemonHost {
  rules: PushRules = {};
  readonly errors: unknown[] = [];
  private readonly server: Server;

  private constructor(private readonly repository: Repository) {
    this.server = createServer((socket) => {
      this.serve(socket).catch((error: unknown) => {
        this.errors.push(error);
        socket.destroy();
      });
    });
  }

  static async open(repository: Repository): Promise<DaemonHost> {
    const host = new DaemonHost(repository);
    host.server.listen(0, '127.0.0.1');
    await once(host.server, 'listening');
    return host;
  }

  get url(): string {
    return `git://127.0.0.1:${(this.server.address() as AddressInfo).port}/x.git`;
  }

  async close(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(socket: Socket): Promise<void> {
    const greeting = await firstPacket(socket);
    const protocol = greeting.split('\0').find((part) => part.startsWith('version='));
    const streams = { stateless: false, protocol, input: socket, output: socket };
    if (greeting.startsWith('git-upload-pack')) await this.repository.uploadPack(streams);
    else {
      await this.repository.receivePack({
        ...streams,
        gate: this.rules.gate ?? (async () => ({ accept: true })),
        settle: this.rules.settle ?? (async () => ({})),
      });
    }
    socket.end();
  }
}

/** Takes the first packet off a connection, however it was cut on its way. */
async function firstPacket(socket: Socket): Promise<string> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    await once(socket, 'readable');
    bytes = Buffer.concat([bytes, (socket.read() as Buffer | null) ?? Buffer.alloc(0)]);
    const length = bytes.length < 4 ? Infinity : parseInt(bytes.toString('latin1', 0, 4), 16);
    if (bytes.length >= length) {
      if (bytes.length > length) socket.unshift(bytes.subarray(length));
      return bytes.toString('utf8', 4, length);
    }
  }
}
