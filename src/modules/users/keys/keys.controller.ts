import { Controller, Get, Param } from '@nestjs/common';
import { Answers, PathIds } from '../../../platform/http/index.js';
import { Requires } from '../../access/index.js';
import { UserPresenter } from '../user.presenter.js';
import { UsersService } from '../users.service.js';
import { presentKey } from './ssh-key.presenter.js';
import { SshKeyWithUserView } from './ssh-key.view.js';
import { SshKeysService } from './ssh-keys.service.js';

@Controller('keys')
@PathIds({ id: 'invalid' })
export class KeysController {
  constructor(
    private readonly keys: SshKeysService,
    private readonly users: UsersService,
    private readonly presenter: UserPresenter,
  ) {}

  /** The SSH key of any account with its user, or a deploy key, which has none. */
  @Get(':id')
  @Requires('user:administer')
  @Answers(SshKeyWithUserView)
  async read(@Param('id') id: number): Promise<SshKeyWithUserView> {
    const { key, user } = await this.keys.readAny(id);
    const shown = user && this.presenter.full(await this.users.describe(user));
    return { ...presentKey(key), user: shown };
  }
}
