import { Injectable } from '@nestjs/common';
import ssh2, { type AuthContext, type PublicKeyAuthContext } from 'ssh2';
import { isStoreTrouble } from '../../../platform/errors/index.js';
import { DeployKeysService } from '../../projects/index.js';
import { type SshKey, SshKeysService, type User } from '../../users/index.js';
import { isAcceptedAlgorithm } from './signature-algorithms.js';

/** The only user name that clients can sign in with. */
const USER = 'git';

/** The identity behind an SSH key. */
export type SshCaller =
  /** An account, possibly blocked. */
  | { kind: 'user'; user: User }
  /** Reads the projects that the key is linked to. */
  | { kind: 'deploy key'; key: Pick<SshKey, 'id' | 'title'> };

/** A key that a client may sign in with. */
export interface AcceptedKey {
  /** In wire format. */
  data: Buffer;
  /** False where the database did not answer: every command looks for the caller anew, and says so to the client. */
  isKnown: boolean;
}

/** Authenticates SSH clients by their public keys (docs/reference/git.md#ssh). */
@Injectable()
export class SshAuthentication {
  constructor(
    private readonly keys: SshKeysService,
    private readonly deployKeys: DeployKeysService,
  ) {}

  /**
   * Decides on an authentication request. Accepts a registered key with a valid signature, or without one:
   * clients ask first whether a key would be accepted. While the database does not answer, every key is accepted.
   * @returns null when the request is rejected
   */
  async authenticate(context: AuthContext): Promise<AcceptedKey | null> {
    if (context.username !== USER || context.method !== 'publickey') return null;
    // Absent from a message that ends before it, which ssh2 does not refuse.
    const { data } = context.key as { readonly data: Buffer | undefined };
    if (data === undefined) return null;
    const isKnown = await this.isKnown(data);
    return isKnown !== false && isAcceptable(context) ? { data, isKnown: isKnown === true } : null;
  }

  /** Undefined while the database does not answer. */
  private async isKnown(data: Buffer): Promise<boolean | undefined> {
    try {
      return (await this.findCaller(data)) !== null;
    } catch (error) {
      if (!isStoreTrouble(error)) throw error;
      return undefined;
    }
  }

  /**
   * Finds the caller with a public key. Null for a key that is not registered, belongs to a deleted account,
   * or is a deploy key without a project.
   * @param data the public key in wire format; the client need not have proved that it has the private key
   */
  async findCaller(data: Buffer): Promise<SshCaller | null> {
    const found = await this.keys.findByData(data);
    if (found === null) return null;
    const { key, user } = found;
    if (user !== null) return { kind: 'user', user };
    return (await this.deployKeys.opensAny(key.id)) ? { kind: 'deploy key', key } : null;
  }
}

/**
 * Whether the key is valid, and so is the signature if there is one. The key is parsed from what the client
 * sent, which equals the stored key: a stored line may have blanks that `ssh2` does not parse.
 */
function isAcceptable(context: PublicKeyAuthContext): boolean {
  if (!isAcceptedAlgorithm(context)) return false;
  const { algo, data } = context.key;
  const key = ssh2.utils.parseKey(`${algo} ${data.toString('base64')}`);
  if (key instanceof Error || key.type !== algo) return false;
  const { blob, hashAlgo, signature } = context;
  if (signature === undefined || blob === undefined) return signature === undefined;
  return key.verify(blob, signature, hashAlgo);
}
