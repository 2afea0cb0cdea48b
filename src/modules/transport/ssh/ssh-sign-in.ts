import { Injectable } from '@nestjs/common';
import ssh2, { type AuthContext, type PublicKeyAuthContext } from 'ssh2';
import { SshCallers } from './ssh-callers.js';

const USER = 'git';

/**
 * Lets in whoever has the private part of a registered key, as the user `git` alone
 * (docs/reference/git.md#ssh).
 */
@Injectable()
export class SshSignIn {
  constructor(private readonly callers: SshCallers) {}

  /** The key if it lets its holder in, or would with a signature; else null. */
  async admit(context: AuthContext): Promise<Buffer | null> {
    if (context.username !== USER || context.method !== 'publickey') return null;
    const caller = await this.callers.find(context.key.data);
    return caller !== null && isProven(context) ? context.key.data : null;
  }
}

/**
 * Clients ask first whether a key is known; what they sign then is checked here. The key is read from what
 * the client sent, which is equal to what is stored: a stored line may have blanks that `ssh2` does not read.
 */
function isProven(context: PublicKeyAuthContext): boolean {
  const { algo, data } = context.key;
  const key = ssh2.utils.parseKey(`${algo} ${data.toString('base64')}`);
  if (key instanceof Error || key.type !== algo) return false;
  const { blob, hashAlgo, signature } = context;
  // By its bare name an RSA key signs SHA-1 sums, which can be forged.
  if (key.type === 'ssh-rsa' && hashAlgo === undefined) return false;
  if (signature === undefined || blob === undefined) return signature === undefined;
  return key.verify(blob, signature, hashAlgo);
}
