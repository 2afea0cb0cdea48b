import { Injectable } from '@nestjs/common';
import ssh2, { type AuthContext, type PublicKeyAuthContext } from 'ssh2';
import { KeyHolders } from '../../users/index.js';

const USER = 'git';

/** Lets in whoever has the private part of a registered key, as the user `git` alone (open points 8.2). */
@Injectable()
export class SshSignIn {
  constructor(private readonly holders: KeyHolders) {}

  /** The key if it lets its holder in, or would with a signature; else null. */
  async admit(context: AuthContext): Promise<Buffer | null> {
    if (context.username !== USER || context.method !== 'publickey') return null;
    const holder = await this.holders.find(context.key.data);
    return holder !== null && isProven(holder.line, context) ? context.key.data : null;
  }
}

/** Clients ask first whether a key is known; what they sign then is checked here. */
function isProven(line: string, context: PublicKeyAuthContext): boolean {
  const key = ssh2.utils.parseKey(line);
  if (key instanceof Error || key.type !== context.key.algo) return false;
  const { blob, hashAlgo, signature } = context;
  // By its bare name an RSA key signs SHA-1 sums, which can be forged.
  if (key.type === 'ssh-rsa' && hashAlgo === undefined) return false;
  if (signature === undefined || blob === undefined) return signature === undefined;
  return key.verify(blob, signature, hashAlgo);
}
