import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  FixedStatus,
  mapPage,
  Page,
  PageQuery,
  PathIds,
} from '../../../platform/http/index.js';
import { Requires } from '../../access/index.js';
import { CreateSshKeyDto } from './dto/create-ssh-key.dto.js';
import { presentKey } from './ssh-key.presenter.js';
import { SshKeyView } from './ssh-key.view.js';
import { SshKeysService } from './ssh-keys.service.js';

@Controller('users/:id/keys')
@PathIds({ id: 'no route' })
export class UserKeysController {
  constructor(private readonly keys: SshKeysService) {}

  /** Somebody's SSH keys, newest first. */
  @Get()
  @Requires('user:administer')
  @AnswersList(SshKeyView)
  async list(@Param('id') id: number, @Query() query: PageQuery): Promise<Page<SshKeyView>> {
    return mapPage(await this.keys.list(id, query), presentKey);
  }

  /** Adds an SSH key for somebody. */
  @Post()
  @Requires('user:administer')
  @Answers(SshKeyView)
  @FixedStatus(201)
  async add(@Param('id') id: number, @Body() body: CreateSshKeyDto): Promise<SshKeyView> {
    return presentKey(await this.keys.add(id, body));
  }

  /** Removes one of somebody's SSH keys. */
  @Delete(':key_id')
  @Requires('user:administer')
  @Answers(SshKeyView)
  async remove(@Param('id') id: number, @Param('key_id') keyId: number): Promise<SshKeyView> {
    return presentKey(await this.keys.remove(id, keyId));
  }
}
