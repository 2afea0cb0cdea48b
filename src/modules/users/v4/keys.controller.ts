import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { invalidParameter } from '../../../platform/errors/index.js';
import { Answers, StringParam } from '../../../platform/http/index.js';
import { Requires } from '../../authorization/index.js';
import {
  type SshKeyFingerprint,
  SshKeysService,
  type SshKeyWithUser,
} from '../owned-records/keys/ssh-keys.service.js';
import { presentV4SshKey, V4SshKeyWithUserView } from './ssh-key.view.js';
import { V4UserPresenter } from './user.presenter.js';

/** `GET /keys`. */
class V4FindKeyDto {
  @StringParam({
    required: true,
    blank: 'refused',
    description:
      'As `ssh-keygen` prints it: `SHA256:` with base64, or `MD5:` with hexadecimal; `MD5:` may be left out.',
  })
  fingerprint!: string;
}

const MD5 = /^(?:MD5:)?((?:[0-9a-f]{2}:){15}[0-9a-f]{2})$/i;
const SHA256 = /^SHA256:([A-Za-z0-9+/]{43})=?$/;

function toFingerprint(text: string): SshKeyFingerprint {
  const md5 = MD5.exec(text)?.[1];
  if (md5 !== undefined) return { md5: md5.toLowerCase() };
  const sha256 = SHA256.exec(text)?.[1];
  if (sha256 === undefined) throw invalidParameter('fingerprint is invalid');
  return { sha256: Buffer.from(sha256, 'base64') };
}

/** The SSH keys of all accounts, and deploy keys, for administrators. */
@V4Controller('keys', 'Keys')
export class V4KeysController {
  constructor(
    private readonly keys: SshKeysService,
    private readonly users: V4UserPresenter,
  ) {}

  /** The key with a fingerprint. */
  @Get()
  @Requires('user:administer')
  @Answers(V4SshKeyWithUserView)
  async find(@Query() { fingerprint }: V4FindKeyDto): Promise<V4SshKeyWithUserView> {
    return this.present(await this.keys.readByFingerprint(toFingerprint(fingerprint)));
  }

  /** One key, by ID. */
  @Get(':key_id')
  @Requires('user:administer')
  @Answers(V4SshKeyWithUserView)
  async read(@Param('key_id') id: number): Promise<V4SshKeyWithUserView> {
    return this.present(await this.keys.readAny(id));
  }

  private present({ key, user }: SshKeyWithUser): V4SshKeyWithUserView {
    return { ...presentV4SshKey(key), user: user && this.users.profile(user) };
  }
}
