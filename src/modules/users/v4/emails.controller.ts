import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  BooleanParam,
  PageQuery,
  StringParam,
  UnlessModified,
} from '../../../platform/http/index.js';
import { mapPage, Page } from '../../../platform/pagination/index.js';
import { Caller, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { User } from '../model/user.entity.js';
import { addressOf } from '../owned-records/emails/emails.repository.js';
import { EmailsService } from '../owned-records/emails/emails.service.js';
import { presentV4Email, V4EmailView } from './email.view.js';

/** `POST /user/emails`. */
class V4CreateEmailDto {
  @StringParam({ required: true })
  email!: string;
}

/** `POST /users/:id/emails`. */
class V4CreateEmailOfUserDto extends V4CreateEmailDto {
  @BooleanParam({ description: 'Addresses are confirmed at once, whatever it says.' })
  skip_confirmation?: boolean;
}

@V4Controller('', 'Emails')
export class V4EmailsController {
  constructor(private readonly emails: EmailsService) {}

  /** The caller's e-mail addresses, the primary one first. */
  @Get('user/emails')
  @Requires('self:read')
  @AnswersList(V4EmailView)
  async listOwn(@Caller() caller: User, @Query() query: PageQuery): Promise<Page<V4EmailView>> {
    return mapPage(await this.emails.listAddresses(caller.id, query), presentV4Email);
  }

  /** One of the caller's secondary e-mail addresses. */
  @Get('user/emails/:email_id')
  @Requires('self:read')
  @Answers(V4EmailView)
  async readOwn(@Caller() caller: User, @Param('email_id') emailId: number): Promise<V4EmailView> {
    return presentV4Email(addressOf(await this.emails.read(caller.id, emailId)));
  }

  /** Adds a secondary e-mail address for the caller. */
  @Post('user/emails')
  @Requires('self:edit')
  @Audits('email.added')
  @Answers(V4EmailView)
  async addOwn(@Caller() caller: User, @Body() body: V4CreateEmailDto): Promise<V4EmailView> {
    return presentV4Email(addressOf(await this.emails.add(caller.id, body.email)));
  }

  /** Removes one of the caller's secondary e-mail addresses. */
  @Delete('user/emails/:email_id')
  @UnlessModified()
  @Requires('self:edit')
  @Audits('email.removed')
  @AnswersNothing()
  async removeOwn(@Caller() caller: User, @Param('email_id') emailId: number): Promise<void> {
    await this.emails.remove(caller.id, emailId);
  }

  /** The e-mail addresses of a user, the primary one first. */
  @Get('users/:id/emails')
  @Requires('user:administer')
  @AnswersList(V4EmailView)
  async list(@Param('id') id: number, @Query() query: PageQuery): Promise<Page<V4EmailView>> {
    return mapPage(await this.emails.listAddresses(id, query), presentV4Email);
  }

  /** Adds a secondary e-mail address for a user. */
  @Post('users/:id/emails')
  @Requires('user:administer')
  @Audits('email.added')
  @Answers(V4EmailView)
  async add(@Param('id') id: number, @Body() body: V4CreateEmailOfUserDto): Promise<V4EmailView> {
    return presentV4Email(addressOf(await this.emails.add(id, body.email)));
  }

  /** Removes a secondary e-mail address of a user. */
  @Delete('users/:id/emails/:email_id')
  @UnlessModified()
  @Requires('user:administer')
  @Audits('email.removed')
  @AnswersNothing()
  async remove(@Param('id') id: number, @Param('email_id') emailId: number): Promise<void> {
    await this.emails.remove(id, emailId);
  }
}
