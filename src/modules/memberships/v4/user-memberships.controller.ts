import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { AnswersList, EnumParam, PageQuery } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Requires } from '../../authorization/index.js';
import { UsersService } from '../../users/index.js';
import { UserMembershipsRepository } from '../members/user-memberships.repository.js';
import { presentV4Membership, V4MembershipView } from './user-membership.view.js';

const SOURCES = { Project: 'project', Namespace: 'group' } as const;

/** `GET /users/:id/memberships`. */
class V4ListMembershipsDto extends PageQuery {
  @EnumParam(['Project', 'Namespace'] as const, { description: 'Only those of one kind.' })
  type?: keyof typeof SOURCES;
}

@V4Controller('users/:id/memberships', 'UserMemberships')
export class V4UserMembershipsController {
  constructor(
    private readonly memberships: UserMembershipsRepository,
    private readonly users: UsersService,
  ) {}

  /** The direct memberships of a user in projects and groups, the oldest first; for administrators. */
  @Get()
  @Requires('user:administer')
  @AnswersList(V4MembershipView)
  async list(
    @Param('id') id: number,
    @Query() query: V4ListMembershipsDto,
  ): Promise<Page<V4MembershipView>> {
    const user = await this.users.read(id);
    const source = query.type && SOURCES[query.type];
    return mapPage(await this.memberships.list(user.id, source, query), presentV4Membership);
  }
}
