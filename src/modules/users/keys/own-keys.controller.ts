import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  EmptyWhenAbsent,
  FixedStatus,
  mapPage,
  Page,
  PageQuery,
} from '../../../platform/http/index.js';
import { Caller, Requires } from '../../access/index.js';
import { User } from '../user.entity.js';
import { CreateSshKeyDto } from './dto/create-ssh-key.dto.js';
import { presentKey } from './ssh-key.presenter.js';
import { SshKeyView } from './ssh-key.view.js';
import { SshKeysService } from './ssh-keys.service.js';

@Controller('user/keys')
export class OwnKeysController {
  constructor(private readonly keys: SshKeysService) {}

  /** The caller's SSH keys, newest first. */
  @Get()
  @Requires('self:read')
  @AnswersList(SshKeyView)
  async list(@Caller() caller: User, @Query() query: PageQuery): Promise<Page<SshKeyView>> {
    return mapPage(await this.keys.list(caller.id, query), presentKey);
  }

  /** One of the caller's SSH keys. */
  @Get(':key_id')
  @Requires('self:read')
  @Answers(SshKeyView)
  async read(@Caller() caller: User, @Param('key_id') keyId: number): Promise<SshKeyView> {
    return presentKey(await this.keys.read(caller.id, keyId));
  }

  /** Adds an SSH key for the caller. */
  @Post()
  @Requires('self:edit')
  @Answers(SshKeyView)
  @FixedStatus(201)
  async add(@Caller() caller: User, @Body() body: CreateSshKeyDto): Promise<SshKeyView> {
    return presentKey(await this.keys.add(caller.id, body));
  }

  /** Removes one of the caller's SSH keys; nothing is answered when there is no such one. */
  @Delete(':key_id')
  @Requires('self:edit')
  @Answers(SshKeyView, { nullable: true })
  @EmptyWhenAbsent()
  async remove(@Caller() caller: User, @Param('key_id') keyId: number): Promise<SshKeyView | null> {
    const removed = await this.keys.removeIfPresent(caller.id, keyId);
    return removed && presentKey(removed);
  }
}
