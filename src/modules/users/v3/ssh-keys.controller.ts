import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  EmptyWhenAbsent,
  FixedStatus,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import { mapPage, Page } from '../../../platform/pagination/index.js';
import { Caller, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { User } from '../model/user.entity.js';
import { UserPresenter } from './user.presenter.js';
import { UsersService } from '../users.service.js';
import { presentSshKey, SshKeyView, SshKeyWithUserView } from './ssh-key.view.js';
import { SshKeysService } from '../owned-records/keys/ssh-keys.service.js';

/** `POST /user/keys`, `POST /users/:id/keys`, `POST /projects/:id/deploy_keys`. */
export class CreateSshKeyDto {
  @StringParam({ required: true })
  title!: string;

  @StringParam({ required: true, description: "One line in OpenSSH's form." })
  key!: string;
}

@V3Controller('', 'SshKeys')
export class SshKeysController {
  constructor(
    private readonly keys: SshKeysService,
    private readonly users: UsersService,
    private readonly presenter: UserPresenter,
  ) {}

  /** The caller's SSH keys, newest first. */
  @Get('user/keys')
  @Requires('self:read')
  @AnswersList(SshKeyView)
  async listOwn(@Caller() caller: User, @Query() query: PageQuery): Promise<Page<SshKeyView>> {
    return mapPage(await this.keys.list(caller.id, query), presentSshKey);
  }

  /** One of the caller's SSH keys. */
  @Get('user/keys/:key_id')
  @Requires('self:read')
  @Answers(SshKeyView)
  async readOwn(@Caller() caller: User, @Param('key_id') keyId: number): Promise<SshKeyView> {
    return presentSshKey(await this.keys.read(caller.id, keyId));
  }

  /** Adds an SSH key for the caller. */
  @Post('user/keys')
  @Requires('self:edit')
  @Audits('ssh_key.added')
  @Answers(SshKeyView)
  @FixedStatus(201)
  async addOwn(@Caller() caller: User, @Body() body: CreateSshKeyDto): Promise<SshKeyView> {
    return presentSshKey(await this.keys.add(caller.id, body));
  }

  /** Removes one of the caller's SSH keys; the answer is empty when there is none. */
  @Delete('user/keys/:key_id')
  @Requires('self:edit')
  @Audits('ssh_key.removed')
  @Answers(SshKeyView, { nullable: true })
  @EmptyWhenAbsent()
  async removeOwn(
    @Caller() caller: User,
    @Param('key_id') keyId: number,
  ): Promise<SshKeyView | null> {
    const removed = await this.keys.removeIfPresent(caller.id, keyId);
    return removed && presentSshKey(removed);
  }

  /** The SSH keys of a user, newest first. */
  @Get('users/:id/keys')
  @Requires('user:administer')
  @AnswersList(SshKeyView)
  async list(@Param('id') id: number, @Query() query: PageQuery): Promise<Page<SshKeyView>> {
    return mapPage(await this.keys.list(id, query), presentSshKey);
  }

  /** Adds an SSH key for a user. */
  @Post('users/:id/keys')
  @Requires('user:administer')
  @Audits('ssh_key.added')
  @Answers(SshKeyView)
  @FixedStatus(201)
  async add(@Param('id') id: number, @Body() body: CreateSshKeyDto): Promise<SshKeyView> {
    return presentSshKey(await this.keys.add(id, body));
  }

  /** Removes one of the SSH keys of a user. */
  @Delete('users/:id/keys/:key_id')
  @Requires('user:administer')
  @Audits('ssh_key.removed')
  @Answers(SshKeyView)
  async remove(@Param('id') id: number, @Param('key_id') keyId: number): Promise<SshKeyView> {
    return presentSshKey(await this.keys.remove(id, keyId));
  }

  /** The SSH key of any account with its user, or a deploy key, whose user is null. */
  @Get('keys/:id')
  @Requires('user:administer')
  @Answers(SshKeyWithUserView)
  async readAny(@Param('id') id: number): Promise<SshKeyWithUserView> {
    const { key, user } = await this.keys.readAny(id);
    const shown = user && this.presenter.full(await this.users.loadDetails(user));
    return { ...presentSshKey(key), user: shown };
  }
}
