import type { Connection } from 'ssh2';

/** What is used of the internals of `ssh2` 1.17.0. */
export interface Protocol {
  /** Reads bytes of the client from `from` to `to`. Returns where it stopped; undefined at the end. */
  _parse: (chunk: Buffer, from: number, to: number) => number | undefined;
  /** Undefined once the connection has failed or is closed. */
  _destruct: (() => void) | undefined;
  /** Replaced with every key exchange. */
  _decipher: { inSeqno: number };
  _onHandshakeComplete: (...negotiated: unknown[]) => void;
  /** Of the key exchange that has just been completed. */
  _kex: { remoteExtInfoEnabled: boolean };
  _packetRW: {
    write: {
      /** Where a payload begins in what `alloc` returns. */
      allocStart: number;
      alloc: (payloadBytes: number) => Uint8Array;
      finalize: (packet: Uint8Array) => Uint8Array;
    };
  };
  _cipher: { encrypt: (packet: Uint8Array) => void };
  /** The methods of the authentication requests that have no answer yet. */
  _authsQueue: readonly string[];
}

/** `SSH_MSG_DISCONNECT` of RFC 4253. */
const DISCONNECT = 1;
/** `SSH_DISCONNECT_PROTOCOL_ERROR`. */
const PROTOCOL_ERROR = 2;

export function protocolOf(client: Connection): Protocol {
  return (client as unknown as { _protocol: Protocol })._protocol;
}

/**
 * Whether an authentication request waits for an answer. The library takes answers that a client sends, as only a server
 * may, as those to the client's own requests, and throws at the server's.
 */
export const awaitsAnswer = (client: Connection): boolean =>
  protocolOf(client)._authsQueue.length > 0;

/** Sends a message at once, also during a key exchange. */
export function sendMessage(protocol: Protocol, payload: Buffer): void {
  const { _packetRW: packets, _cipher: cipher } = protocol;
  const packet = packets.write.alloc(payload.length);
  packet.set(payload, packets.write.allocStart);
  cipher.encrypt(packets.write.finalize(packet));
}

/** Says that the connection ends, with a text that clients show; the library sends none. */
export function sendDisconnect(client: Connection, text: string): void {
  const fields = [uint32(PROTOCOL_ERROR), sshString(text), sshString('')];
  sendMessage(protocolOf(client), Buffer.concat([Buffer.of(DISCONNECT), ...fields]));
}

/** A `string` of RFC 4251. */
export function sshString(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

/** A `uint32` of RFC 4251. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
