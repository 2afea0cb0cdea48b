import { Body, Delete, Get, Param, Post, Put, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import { V3Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  ContainsSecret,
  EmptyWhenAbsent,
} from '../../../platform/http/index.js';
import { mapPage, Page } from '../../../platform/pagination/index.js';
import { ActsBySudo, Caller, ReadsCallerDetails, Requires } from '../../authorization/index.js';
import { AuditLog, Audits } from '../../audit/index.js';
import { AuthenticationService } from '../authentication/authentication.service.js';
import {
  CreateUserDto,
  ListUsersDto,
  toCreateUserInput,
  toUpdateUserInput,
  toUserFilters,
  UpdateUserDto,
} from './user.dto.js';
import { User } from '../model/user.entity.js';
import { UserPresenter } from './user.presenter.js';
import { CurrentUserView, UserProfileView, UserSummaryView, UserView } from './user.view.js';
import { UsersService } from '../users.service.js';

@V3Controller('', 'Users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly authentication: AuthenticationService,
    private readonly presenter: UserPresenter,
    private readonly audit: AuditLog,
  ) {}

  /** The caller's own account; with `sudo` its private token too. */
  @Get('user')
  @Requires('self:read')
  @ReadsCallerDetails()
  @ContainsSecret()
  @Answers(CurrentUserView)
  async readOwn(
    @Caller() caller: User,
    @ActsBySudo() bySudo: boolean,
    @Req() request: Request,
  ): Promise<CurrentUserView> {
    const view = await this.full(caller);
    if (!bySudo) return view;
    const target = { type: 'user', id: caller.id, name: caller.username } as const;
    await this.audit.recordFor(request, { action: 'user.token_read', target });
    return { ...view, private_token: this.authentication.privateToken(caller) };
  }

  /** The accounts, newest first, for administrators with all fields. */
  @Get('users')
  @Requires('user:read')
  @AnswersList(UserSummaryView, { or: UserView })
  async list(
    @Caller() caller: User,
    @Query() query: ListUsersDto,
  ): Promise<Page<UserSummaryView | UserView>> {
    const filters = toUserFilters(query);
    if (caller.admin) {
      const page = await this.users.listForAdmin(filters, query);
      return mapPage(page, (user) => this.presenter.full(user));
    }
    const page = await this.users.list(filters, query);
    return mapPage(page, (user) => this.presenter.summary(user));
  }

  /** One account, for administrators with all fields. */
  @Get('users/:id')
  @Requires('user:read')
  @Answers(UserProfileView, { or: UserView })
  async read(@Caller() caller: User, @Param('id') id: number): Promise<UserProfileView | UserView> {
    const user = await this.users.read(id);
    return caller.admin ? this.full(user) : this.presenter.profile(user);
  }

  /** Creates an account with its personal namespace. */
  @Post('users')
  @Requires('user:administer')
  @Audits('user.created', 'email.removed')
  @Answers(UserView)
  async create(@Body() body: CreateUserDto): Promise<UserView> {
    return this.full(await this.users.create(toCreateUserInput(body)));
  }

  /** Modifies an account; a name or e-mail that is taken is answered with 404. */
  @Put('users/:id')
  @Requires('user:administer')
  @Audits(
    ...(['user.updated', 'user.renamed', 'user.email_changed', 'user.password_changed'] as const),
    ...(['user.admin_changed', 'user.identity_changed', 'email.removed'] as const),
  )
  @Answers(UserView)
  async update(@Param('id') id: number, @Body() body: UpdateUserDto): Promise<UserView> {
    return this.full(await this.users.update(id, toUpdateUserInput(body)));
  }

  /** Deletes an account; the answer is empty when it cannot be deleted. */
  @Delete('users/:id')
  @Requires('user:administer')
  @Audits('user.deleted')
  @Answers(UserView, { nullable: true })
  @EmptyWhenAbsent()
  async delete(@Caller() caller: User, @Param('id') id: number): Promise<UserView | null> {
    const deleted = await this.users.delete(caller, id);
    return deleted && this.presenter.full(deleted);
  }

  /** Blocks an account; false when it is blocked already. */
  @Put('users/:id/block')
  @Requires('user:administer')
  @Audits('user.blocked')
  @Answers('boolean')
  block(@Caller() caller: User, @Param('id') id: number): Promise<boolean> {
    return this.users.block(caller, id);
  }

  /** Unblocks an account; false when it is active already. */
  @Put('users/:id/unblock')
  @Requires('user:administer')
  @Audits('user.unblocked')
  @Answers('boolean')
  unblock(@Param('id') id: number): Promise<boolean> {
    return this.users.unblock(id);
  }

  private async full(user: User): Promise<UserView> {
    return this.presenter.full(await this.users.loadDetails(user));
  }
}
