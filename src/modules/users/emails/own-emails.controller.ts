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
import { CreateEmailDto } from './dto/create-email.dto.js';
import { presentEmail } from './email.presenter.js';
import { EmailView } from './email.view.js';
import { EmailsService } from './emails.service.js';

@Controller('user/emails')
export class OwnEmailsController {
  constructor(private readonly emails: EmailsService) {}

  /** The caller's secondary e-mail addresses, newest first. */
  @Get()
  @Requires('self:read')
  @AnswersList(EmailView)
  async list(@Caller() caller: User, @Query() query: PageQuery): Promise<Page<EmailView>> {
    return mapPage(await this.emails.list(caller.id, query), presentEmail);
  }

  /** One of the caller's secondary e-mail addresses. */
  @Get(':email_id')
  @Requires('self:read')
  @Answers(EmailView)
  async read(@Caller() caller: User, @Param('email_id') emailId: number): Promise<EmailView> {
    return presentEmail(await this.emails.read(caller.id, emailId));
  }

  /** Adds a secondary e-mail address for the caller. */
  @Post()
  @Requires('self:edit')
  @Answers(EmailView)
  @FixedStatus(201)
  async add(@Caller() caller: User, @Body() body: CreateEmailDto): Promise<EmailView> {
    return presentEmail(await this.emails.add(caller.id, body.email));
  }

  /** Removes a secondary e-mail address of the caller; answers nothing when there is no such one. */
  @Delete(':email_id')
  @Requires('self:edit')
  @Answers(EmailView, { nullable: true })
  @EmptyWhenAbsent()
  async remove(
    @Caller() caller: User,
    @Param('email_id') emailId: number,
  ): Promise<EmailView | null> {
    const removed = await this.emails.removeIfPresent(caller.id, emailId);
    return removed && presentEmail(removed);
  }
}
