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
import { CreateEmailDto } from './dto/create-email.dto.js';
import { presentEmail } from './email.presenter.js';
import { EmailView } from './email.view.js';
import { EmailsService } from './emails.service.js';

@Controller('users/:id/emails')
@PathIds({ id: 'no route' })
export class UserEmailsController {
  constructor(private readonly emails: EmailsService) {}

  /** Somebody's secondary e-mail addresses, newest first. */
  @Get()
  @Requires('user:administer')
  @AnswersList(EmailView)
  async list(@Param('id') id: number, @Query() query: PageQuery): Promise<Page<EmailView>> {
    return mapPage(await this.emails.list(id, query), presentEmail);
  }

  /** Adds a secondary e-mail address for somebody. */
  @Post()
  @Requires('user:administer')
  @Answers(EmailView)
  @FixedStatus(201)
  async add(@Param('id') id: number, @Body() body: CreateEmailDto): Promise<EmailView> {
    return presentEmail(await this.emails.add(id, body.email));
  }

  /** Removes one of somebody's secondary e-mail addresses. */
  @Delete(':email_id')
  @Requires('user:administer')
  @Answers(EmailView)
  async remove(@Param('id') id: number, @Param('email_id') emailId: number): Promise<EmailView> {
    return presentEmail(await this.emails.remove(id, emailId));
  }
}
