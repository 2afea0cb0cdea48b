import { Get, Param, Query, type Type } from '@nestjs/common';
import { EMPTY_ROUTES, type EmptyRoute, V4Controller } from '../../../faces/index.js';
import { Answers, AnswersNoItems, ApiOperation, PageQuery } from '../../../platform/http/index.js';
import { Page } from '../../../platform/pagination/index.js';
import {
  type Ability,
  Access,
  Caller,
  type ProjectAccess,
  Requires,
} from '../../authorization/index.js';
import { IssuableKinds, type IssuableType } from '../../issuables/index.js';
import { User, UsersService } from '../../users/index.js';

/** Which readers see that something is empty: those who see where it lies. */
const ABILITIES: readonly (readonly [pattern: RegExp, ability: Ability])[] = [
  [/^runners\/all$/, 'user:administer'],
  [/^projects\/:id\/issues\//, 'issue:read'],
  [/^projects\/:id\/merge_requests\//, 'merge-request:read'],
  [/^projects\//, 'project:read'],
  [/^groups\//, 'group:read'],
  [/^users\//, 'user:read'],
  [/(?:)/, 'self:read'],
];

const ISSUABLES: readonly (readonly [pattern: RegExp, type: IssuableType])[] = [
  [/\/issues\/:(issue_iid)\//, 'Issue'],
  [/\/merge_requests\/:(merge_request_iid)\//, 'MergeRequest'],
];

/** The controllers of all resources that are empty. */
export const emptyResourceControllers = (): Type<object>[] => EMPTY_ROUTES.map(controllerOf);

function controllerOf(route: EmptyRoute): Type<object> {
  if (route.answer === 'empty-object') {
    return route.path.startsWith('users/:id/') ? objectOfUser(route) : emptyObject(route);
  }
  for (const [pattern, type] of ISSUABLES) {
    const iidParameter = pattern.exec(route.path)?.[1];
    if (iidParameter !== undefined) return listOfIssuable(route, type, iidParameter);
  }
  return route.path.startsWith('users/:id/') ? listOfUser(route) : emptyList(route);
}

/** `ProjectsRegistryRepositories` for `projects/:id/registry/repositories`. */
const operationsOf = ({ path }: EmptyRoute): string =>
  path
    .split(/[/_]/)
    .filter((word) => !word.startsWith(':') && word !== 'iid')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

function abilityFor({ path }: EmptyRoute): Ability {
  const [, ability] = ABILITIES.find(([pattern]) => pattern.test(path)) ?? [];
  return ability ?? 'self:read';
}

const summaryOf = ({ name }: EmptyRoute): { summary: string } => ({ summary: `${name}: none.` });

function emptyList(route: EmptyRoute): Type<object> {
  @V4Controller(route.path, operationsOf(route))
  class EmptyListController {
    @Get()
    @ApiOperation(summaryOf(route))
    @Requires(abilityFor(route))
    @AnswersNoItems()
    list(@Query() query: PageQuery): Page<object> {
      return Page.of<object>([], query);
    }
  }
  return EmptyListController;
}

function listOfUser(route: EmptyRoute): Type<object> {
  @V4Controller(route.path, operationsOf(route))
  class EmptyListOfUserController {
    constructor(private readonly users: UsersService) {}

    @Get()
    @ApiOperation(summaryOf(route))
    @Requires(abilityFor(route))
    @AnswersNoItems()
    async list(@Param('id') id: string, @Query() query: PageQuery): Promise<Page<object>> {
      await this.users.readByReference(id);
      return Page.of<object>([], query);
    }
  }
  return EmptyListOfUserController;
}

function listOfIssuable(route: EmptyRoute, type: IssuableType, iidParameter: string): Type<object> {
  @V4Controller(route.path, operationsOf(route))
  class EmptyListOfIssuableController {
    constructor(private readonly kinds: IssuableKinds) {}

    @Get()
    @ApiOperation(summaryOf(route))
    @Requires(abilityFor(route))
    @AnswersNoItems()
    async list(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Query() query: PageQuery,
    ): Promise<Page<object>> {
      await this.kinds.readByNumber(type, access, caller, iid);
      return Page.of<object>([], query);
    }
  }
  return EmptyListOfIssuableController;
}

function emptyObject(route: EmptyRoute): Type<object> {
  @V4Controller(route.path, operationsOf(route))
  class EmptyObjectController {
    @Get()
    @ApiOperation(summaryOf(route))
    @Requires(abilityFor(route))
    @Answers('object')
    read(): object {
      return {};
    }
  }
  return EmptyObjectController;
}

function objectOfUser(route: EmptyRoute): Type<object> {
  @V4Controller(route.path, operationsOf(route))
  class EmptyObjectOfUserController {
    constructor(private readonly users: UsersService) {}

    @Get()
    @ApiOperation(summaryOf(route))
    @Requires(abilityFor(route))
    @Answers('object')
    async read(@Param('id') id: string): Promise<object> {
      await this.users.readByReference(id);
      return {};
    }
  }
  return EmptyObjectOfUserController;
}
