import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Account } from '../account.js';
import type { GroupAccess, GroupRef } from '../group-access/group-access.js';
import type { ProjectAccess, ProjectRef } from '../project-access/project-access.js';
import { contextOf, type RequestContext } from './request-context.js';

const fromContext = <T>(read: (context: RequestContext) => T) =>
  createParamDecorator((_: unknown, execution: ExecutionContext): T =>
    read(contextOf(execution.switchToHttp().getRequest<object>())),
  )();

/** The signed-in account; only for routes that require one. */
export const Caller = (): ParameterDecorator =>
  fromContext<Account>(({ caller }) => required(caller));

/** The account, or null on routes that are open to anonymous readers. */
export const MaybeCaller = (): ParameterDecorator =>
  fromContext<Account | null>(({ caller }) => caller);

/** Whether an administrator acts as the caller by `sudo`. */
export const ActsBySudo = (): ParameterDecorator => fromContext<boolean>(({ sudo }) => sudo);

/** The caller's access to the project that the path names. */
export const Access = (): ParameterDecorator =>
  fromContext<ProjectAccess>(({ access }) => required(access));

/** The same for guards that run after those of this room. */
export const accessOf = (execution: ExecutionContext): ProjectAccess =>
  required(contextOf(execution.switchToHttp().getRequest<object>()).access);

/** The project that the path names. */
export const InProject = (): ParameterDecorator =>
  fromContext<ProjectRef>(({ access }) => required(access).project);

/** The caller's access to the group that the path names. */
export const AccessToGroup = (): ParameterDecorator =>
  fromContext<GroupAccess>(({ groupAccess }) => required(groupAccess));

/** The group that the path names. */
export const InGroup = (): ParameterDecorator =>
  fromContext<GroupRef>(({ groupAccess }) => required(groupAccess).group);

function required<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('The route declares no such ability');
  return value;
}
