import { Injectable } from '@nestjs/common';
import { DeployKeysService } from '../../projects/index.js';
import { type SshKey, SshKeysService, type User } from '../../users/index.js';

/** The identity behind an SSH key. */
export type SshCaller =
  /** An account, possibly blocked. */
  | { kind: 'user'; user: User }
  /** Reads the projects that the key is linked to. */
  | { kind: 'deploy key'; key: Pick<SshKey, 'id' | 'title'> };

/** Finds out who calls by the public key that a client presents. */
@Injectable()
export class SshCallers {
  constructor(
    private readonly keys: SshKeysService,
    private readonly deployKeys: DeployKeysService,
  ) {}

  /**
   * Null for a key that is not registered, belongs to no living account, or is a deploy key without a
   * project.
   * @param data the public key as it goes over the wire; whoever sends it may not have its private part
   */
  async find(data: Buffer): Promise<SshCaller | null> {
    const found = await this.keys.findByData(data);
    if (found === null) return null;
    const { key, user } = found;
    if (user !== null) return { kind: 'user', user };
    return (await this.deployKeys.opensAny(key.id)) ? { kind: 'deploy key', key } : null;
  }
}
