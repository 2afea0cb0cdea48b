// A client of SSH that sends any message at any time.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import ssh2 from 'ssh2';

export const uint32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
export const string = (text) => {
  const bytes = Buffer.from(text);
  return Buffer.concat([uint32(bytes.length), bytes]);
};
export const message = (type, ...fields) => Buffer.concat([Buffer.of(type), ...fields]);
export const yes = Buffer.of(1);

export class SshClient {
  client = new ssh2.Client();
  isClosed = false;

  /** @param privateKey without one the client never signs in */
  constructor({ port, privateKey }) {
    const { client } = this;
    client.once('close', () => (this.isClosed = true));
    client.connect({
      ...{ host: '127.0.0.1', port, localAddress: '127.0.0.2' },
      ...{ username: 'git', ...(privateKey ? { privateKey } : { authHandler: () => undefined }) },
    });
  }

  /** Exchanges keys anew. */
  async rekey() {
    this.client._protocol.rekey();
    await Promise.race([once(this.client, 'handshake'), once(this.client, 'close')]);
  }

  /** @param payload of a message, which is sent so many times */
  async send(payload, count = 1) {
    const { _protocol: protocol, _sock: socket } = this.client;
    // All in one write, so that the server can read as many at once.
    socket.cork();
    for (let index = 0; index < count && !this.isClosed; index += 1) {
      const packet = protocol._cipher.allocPacket(payload.length);
      packet.set(payload, 5);
      protocol._cipher.encrypt(packet);
    }
    socket.uncork();
    // The server may have stopped reading.
    if (socket.writableNeedDrain) {
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    }
    await nextTurn();
  }
}
