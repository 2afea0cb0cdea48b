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
import { EmailView, presentEmail } from './email.view.js';
import { EmailsService } from '../owned-records/emails/emails.service.js';

/** `POST /user/emails`, `POST /users/:id/emails`. */
class CreateEmailDto {
  @StringParam({ required: true })
  email!: string;
}

@V3Controller('', 'Emails')
export class EmailsController {
  constructor(private readonly emails: EmailsService) {}

  /** The caller's secondary e-mail addresses, newest first. */
  @Get('user/emails')
  @Requires('self:read')
  @AnswersList(EmailView)
  async listOwn(@Caller() caller: User, @Query() query: PageQuery): Promise<Page<EmailView>> {
    return mapPage(await this.emails.list(caller.id, query), presentEmail);
  }

  /** One of the caller's secondary e-mail addresses. */
  @Get('user/emails/:email_id')
  @Requires('self:read')
  @Answers(EmailView)
  async readOwn(@Caller() caller: User, @Param('email_id') emailId: number): Promise<EmailView> {
    return presentEmail(await this.emails.read(caller.id, emailId));
  }

  /** Adds a secondary e-mail address for the caller. */
  @Post('user/emails')
  @Requires('self:edit')
  @Audits('email.added')
  @Answers(EmailView)
  @FixedStatus(201)
  async addOwn(@Caller() caller: User, @Body() body: CreateEmailDto): Promise<EmailView> {
    return presentEmail(await this.emails.add(caller.id, body.email));
  }

  /** Removes a secondary e-mail address of the caller; the answer is empty when there is none. */
  @Delete('user/emails/:email_id')
  @Requires('self:edit')
  @Audits('email.removed')
  @Answers(EmailView, { nullable: true })
  @EmptyWhenAbsent()
  async removeOwn(
    @Caller() caller: User,
    @Param('email_id') emailId: number,
  ): Promise<EmailView | null> {
    const removed = await this.emails.removeIfPresent(caller.id, emailId);
    return removed && presentEmail(removed);
  }

  /** The secondary e-mail addresses of a user, newest first. */
  @Get('users/:id/emails')
  @Requires('user:administer')
  @AnswersList(EmailView)
  async list(@Param('id') id: number, @Query() query: PageQuery): Promise<Page<EmailView>> {
    return mapPage(await this.emails.list(id, query), presentEmail);
  }

  /** Adds a secondary e-mail address for a user. */
  @Post('users/:id/emails')
  @Requires('user:administer')
  @Audits('email.added')
  @Answers(EmailView)
  @FixedStatus(201)
  async add(@Param('id') id: number, @Body() body: CreateEmailDto): Promise<EmailView> {
    return presentEmail(await this.emails.add(id, body.email));
  }

  /** Removes a secondary e-mail address of a user. */
  @Delete('users/:id/emails/:email_id')
  @Requires('user:administer')
  @Audits('email.removed')
  @Answers(EmailView)
  async remove(@Param('id') id: number, @Param('email_id') emailId: number): Promise<EmailView> {
    return presentEmail(await this.emails.remove(id, emailId));
  }
}
