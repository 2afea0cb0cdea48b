import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import { Answers, AnswersList, mapPage, Page, PathIds } from '../../platform/http/index.js';
import { Caller, Requires } from '../access/index.js';
import { CreateUserDto, toCreateUserInput } from './dto/create-user.dto.js';
import { ListUsersDto, toUserFilters } from './dto/list-users.dto.js';
import { toUpdateUserInput, UpdateUserDto } from './dto/update-user.dto.js';
import { User } from './user.entity.js';
import { UserPresenter } from './user.presenter.js';
import { UserProfileView, UserSummaryView, UserView } from './user.view.js';
import { UsersService } from './users.service.js';

@Controller('users')
@PathIds({ id: 'no route' })
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly presenter: UserPresenter,
  ) {}

  /** The accounts, newest first; administrators get all there is to know of each. */
  @Get()
  @Requires('user:read')
  @AnswersList(UserSummaryView, { or: UserView })
  async list(
    @Caller() caller: User,
    @Query() query: ListUsersDto,
  ): Promise<Page<UserSummaryView | UserView>> {
    const filters = toUserFilters(query);
    if (caller.admin) {
      const page = await this.users.listForAdmin(filters, query);
      return mapPage(page, (described) => this.presenter.full(described));
    }
    const page = await this.users.list(filters, query);
    return mapPage(page, (user) => this.presenter.summary(user));
  }

  /** One account; administrators get all there is to know of it. */
  @Get(':id')
  @Requires('user:read')
  @Answers(UserProfileView, { or: UserView })
  async read(@Caller() caller: User, @Param('id') id: number): Promise<UserProfileView | UserView> {
    const user = await this.users.read(id);
    if (!caller.admin) return this.presenter.profile(user);
    return this.presenter.full(await this.users.describe(user));
  }

  /** Makes an account with its personal namespace. */
  @Post()
  @Requires('user:administer')
  @Answers(UserView)
  async create(@Body() body: CreateUserDto): Promise<UserView> {
    const user = await this.users.create(toCreateUserInput(body));
    return this.presenter.full(await this.users.describe(user));
  }

  /** Modifies an account; a name or e-mail that somebody else has is answered with 404. */
  @Put(':id')
  @Requires('user:administer')
  @Answers(UserView)
  async update(@Param('id') id: number, @Body() body: UpdateUserDto): Promise<UserView> {
    const user = await this.users.update(id, toUpdateUserInput(body));
    return this.presenter.full(await this.users.describe(user));
  }
}
