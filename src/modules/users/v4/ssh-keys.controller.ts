import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  PageQuery,
  StringParam,
  UnlessModified,
} from '../../../platform/http/index.js';
import { mapPage, Page } from '../../../platform/pagination/index.js';
import { Caller, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { User } from '../model/user.entity.js';
import { SshKeysService } from '../owned-records/keys/ssh-keys.service.js';
import { presentV4SshKey, V4SshKeyView } from './ssh-key.view.js';

/** `POST /user/keys` and `POST /users/:id/keys`. */
class V4CreateSshKeyDto {
  @StringParam({ required: true })
  title!: string;

  @StringParam({ required: true, description: "One line in OpenSSH's form." })
  key!: string;
}

@V4Controller('', 'SshKeys')
export class V4SshKeysController {
  constructor(private readonly keys: SshKeysService) {}

  /** The caller's SSH keys, newest first. */
  @Get('user/keys')
  @Requires('self:read')
  @AnswersList(V4SshKeyView)
  async listOwn(@Caller() caller: User, @Query() query: PageQuery): Promise<Page<V4SshKeyView>> {
    return mapPage(await this.keys.list(caller.id, query), presentV4SshKey);
  }

  /** One of the caller's SSH keys. */
  @Get('user/keys/:key_id')
  @Requires('self:read')
  @Answers(V4SshKeyView)
  async readOwn(@Caller() caller: User, @Param('key_id') keyId: number): Promise<V4SshKeyView> {
    return presentV4SshKey(await this.keys.read(caller.id, keyId));
  }

  /** Adds an SSH key for the caller. */
  @Post('user/keys')
  @Requires('self:edit')
  @Audits('ssh_key.added')
  @Answers(V4SshKeyView)
  async addOwn(@Caller() caller: User, @Body() body: V4CreateSshKeyDto): Promise<V4SshKeyView> {
    return presentV4SshKey(await this.keys.add(caller.id, body));
  }

  /** Removes one of the caller's SSH keys. */
  @Delete('user/keys/:key_id')
  @UnlessModified()
  @Requires('self:edit')
  @Audits('ssh_key.removed')
  @AnswersNothing()
  async removeOwn(@Caller() caller: User, @Param('key_id') keyId: number): Promise<void> {
    await this.keys.remove(caller.id, keyId);
  }

  /** The SSH keys of a user, newest first, for administrators: titles and comments of keys are often e-mail addresses. */
  @Get('users/:id/keys')
  @Requires('user:administer')
  @AnswersList(V4SshKeyView)
  async list(@Param('id') id: number, @Query() query: PageQuery): Promise<Page<V4SshKeyView>> {
    return mapPage(await this.keys.list(id, query), presentV4SshKey);
  }

  /** Adds an SSH key for a user. */
  @Post('users/:id/keys')
  @Requires('user:administer')
  @Audits('ssh_key.added')
  @Answers(V4SshKeyView)
  async add(@Param('id') id: number, @Body() body: V4CreateSshKeyDto): Promise<V4SshKeyView> {
    return presentV4SshKey(await this.keys.add(id, body));
  }

  /** Removes one of the SSH keys of a user. */
  @Delete('users/:id/keys/:key_id')
  @UnlessModified()
  @Requires('user:administer')
  @Audits('ssh_key.removed')
  @AnswersNothing()
  async remove(@Param('id') id: number, @Param('key_id') keyId: number): Promise<void> {
    await this.keys.remove(id, keyId);
  }
}
