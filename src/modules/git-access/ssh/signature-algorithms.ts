import type { Connection, PublicKeyAuthContext } from 'ssh2';
import { protocolOf, sendMessage, sshString, uint32 } from './protocol-internals.js';

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

/** `SSH_MSG_EXT_INFO` of RFC 8308. */
const EXT_INFO = 7;

/**
 * Announces the accepted algorithms (`server-sig-algs`, RFC 8308) to a client that asks for them, in place of the list that
 * `ssh2` sends: in version 1.17.0 that list lacks a comma before `rsa-sha2-512`, so that clients which offer nothing else
 * do not try their key, and names the algorithms of SHA-1. Has to be called before the handshake.
 */
export function announceSignatureAlgorithms(client: Connection): void {
  const protocol = protocolOf(client);
  const completeHandshake = protocol._onHandshakeComplete;
  protocol._onHandshakeComplete = (...negotiated) => {
    // The list is sent after the first key exchange only.
    protocol._onHandshakeComplete = completeHandshake;
    if (protocol._kex.remoteExtInfoEnabled) {
      protocol._kex.remoteExtInfoEnabled = false;
      sendMessage(protocol, extensions({ 'server-sig-algs': SIGNATURE_ALGORITHMS.join(',') }));
    }
    completeHandshake(...negotiated);
  };
}

function extensions(values: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(values);
  return Buffer.concat([
    Buffer.of(EXT_INFO),
    uint32(entries.length),
    ...entries.flat().map(sshString),
  ]);
}
