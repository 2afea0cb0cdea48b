import type { Connection, PublicKeyAuthContext } from 'ssh2';

/**
 * The algorithms that clients may sign in with, the preferred ones first. `ssh-rsa` and `ssh-dss` are missing: they sign
 * SHA-1 hashes, which can be forged.
 */
const SIGNATURE_ALGORITHMS: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/** Names of `ssh2` for the hashes that RSA keys can sign. */
const RSA_ALGORITHMS: Readonly<Record<string, string>> = {
  sha256: 'rsa-sha2-256',
  sha512: 'rsa-sha2-512',
};

/** Whether a client may sign in with the algorithm that it names. */
export function isAcceptedAlgorithm({
  key,
  hashAlgo = '',
}: Pick<PublicKeyAuthContext, 'key' | 'hashAlgo'>): boolean {
  return SIGNATURE_ALGORITHMS.includes(RSA_ALGORITHMS[hashAlgo] ?? key.algo);
}

/** What is used of the library's internals. */
interface Protocol {
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
}

/** `SSH_MSG_EXT_INFO` of RFC 8308. */
const EXT_INFO = 7;

/**
 * Announces the accepted algorithms (`server-sig-algs`, RFC 8308) to a client that asks for them, in place of the list that
 * `ssh2` sends: in version 1.17.0 that list lacks a comma before `rsa-sha2-512`, so that clients which offer nothing else
 * do not try their key, and names the algorithms of SHA-1. Has to be called before the handshake.
 */
export function announceSignatureAlgorithms(client: Connection): void {
  const { _protocol: protocol } = client as unknown as { _protocol: Protocol };
  const completeHandshake = protocol._onHandshakeComplete;
  protocol._onHandshakeComplete = (...negotiated) => {
    // The list is sent after the first key exchange only.
    protocol._onHandshakeComplete = completeHandshake;
    if (protocol._kex.remoteExtInfoEnabled) {
      protocol._kex.remoteExtInfoEnabled = false;
      send(protocol, extensions({ 'server-sig-algs': SIGNATURE_ALGORITHMS.join(',') }));
    }
    completeHandshake(...negotiated);
  };
}

function extensions(values: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(values);
  return Buffer.concat([
    Buffer.of(EXT_INFO),
    uint32(entries.length),
    ...entries.flat().map(string),
  ]);
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function send({ _packetRW: { write }, _cipher: cipher }: Protocol, payload: Buffer): void {
  const packet = write.alloc(payload.length);
  packet.set(payload, write.allocStart);
  cipher.encrypt(write.finalize(packet));
}
