import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { conflict, forbidden } from '../../../platform/errors/index.js';
import { Answers, AnswersList, AnswersNothing, MayAnswer } from '../../../platform/http/index.js';
import { mapPage, Page } from '../../../platform/pagination/index.js';
import { Caller, MaybeCaller, ReadsCallerDetails, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { User } from '../model/user.entity.js';
import { UsersService } from '../users.service.js';
import {
  followedByIds,
  toV4CreateUserInput,
  toV4UpdateUserInput,
  toV4UserFilters,
  toV4UsersRequest,
  V4CreateUserDto,
  V4ListUsersDto,
  V4UpdateUserDto,
} from './user.dto.js';
import { V4UserPresenter } from './user.presenter.js';
import {
  V4CurrentUserView,
  V4UserBasicView,
  V4UserForAdminView,
  V4UserProfileView,
} from './user.view.js';

@V4Controller('', 'Users')
export class V4UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly presenter: V4UserPresenter,
  ) {}

  /** The caller's own account. */
  @Get('user')
  @Requires('self:read')
  @ReadsCallerDetails()
  @Answers(V4CurrentUserView)
  async readOwn(@Caller() caller: User): Promise<V4CurrentUserView> {
    return this.presenter.current(await this.users.loadDetails(caller));
  }

  /** The accounts, newest first, for administrators with all fields; without a credential the one of a `username`. */
  @Get('users')
  @Requires('user:search')
  @AnswersList(V4UserBasicView, { or: V4UserForAdminView })
  @MayAnswer(422)
  async list(
    @MaybeCaller() caller: User | null,
    @Query() query: V4ListUsersDto,
  ): Promise<Page<V4UserBasicView | V4UserForAdminView>> {
    if (caller === null && !query.username) throw forbidden();
    const filters = toV4UserFilters(query);
    const request = toV4UsersRequest(query);
    if (caller?.admin === true) {
      const page = await this.users.listForAdmin(filters, request);
      return mapPage(
        followedByIds(page, query, ({ user }) => user.id),
        (user) => this.presenter.forAdmin(user),
      );
    }
    const page = await this.users.list(filters, request);
    return mapPage(
      followedByIds(page, query, ({ id }) => id),
      (user) => this.presenter.basic(user),
    );
  }

  /** One account, for administrators with all fields; 403 without a credential. */
  @Get('users/:id')
  @Requires('user:search')
  @Answers(V4UserProfileView, { or: V4UserForAdminView })
  async read(
    @MaybeCaller() caller: User | null,
    @Param('id') id: number,
  ): Promise<V4UserProfileView | V4UserForAdminView> {
    if (caller === null) throw forbidden();
    const user = await this.users.read(id);
    return caller.admin ? this.forAdmin(user) : this.presenter.profile(user);
  }

  /** Creates an account with its personal namespace; 409 when the name or e-mail is taken. */
  @Post('users')
  @Requires('user:administer')
  @Audits('user.created', 'email.removed')
  @Answers(V4UserForAdminView)
  @MayAnswer(409)
  async create(@Body() body: V4CreateUserDto): Promise<V4UserForAdminView> {
    return this.forAdmin(await this.users.create(toV4CreateUserInput(body)));
  }

  /** Modifies an account; 409 when the name or e-mail is taken. */
  @Put('users/:id')
  @Requires('user:administer')
  @Audits(
    ...(['user.updated', 'user.renamed', 'user.email_changed', 'user.password_changed'] as const),
    ...(['user.admin_changed', 'user.identity_changed', 'email.removed'] as const),
  )
  @Answers(V4UserForAdminView)
  @MayAnswer(409)
  async update(
    @Param('id') id: number,
    @Body() body: V4UpdateUserDto,
  ): Promise<V4UserForAdminView> {
    return this.forAdmin(await this.users.update(id, toV4UpdateUserInput(body)));
  }

  /** Deletes an account; 409 for the caller's own, the last administrator and the last owner of a group. */
  @Delete('users/:id')
  @Requires('user:administer')
  @Audits('user.deleted')
  @AnswersNothing()
  @MayAnswer(409)
  async delete(@Caller() caller: User, @Param('id') id: number): Promise<void> {
    await this.users.read(id);
    if ((await this.users.delete(caller, id)) === null) throw conflict();
  }

  /** Blocks an account; null when it is blocked already. */
  @Post('users/:id/block')
  @Requires('user:administer')
  @Audits('user.blocked')
  @Answers('boolean', { nullable: true })
  async block(@Caller() caller: User, @Param('id') id: number): Promise<true | null> {
    return (await this.users.block(caller, id)) || null;
  }

  /** Unblocks an account; null when it is active already. */
  @Post('users/:id/unblock')
  @Requires('user:administer')
  @Audits('user.unblocked')
  @Answers('boolean', { nullable: true })
  async unblock(@Param('id') id: number): Promise<true | null> {
    return (await this.users.unblock(id)) || null;
  }

  private async forAdmin(user: User): Promise<V4UserForAdminView> {
    return this.presenter.forAdmin(await this.users.loadDetails(user));
  }
}
