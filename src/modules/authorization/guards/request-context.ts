import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { AttachedValue } from '../../../platform/async/index.js';
import { clientAddress } from '../../../platform/http/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import type {
  Account,
  GroupAccess,
  GroupRef,
  ProjectAccess,
  ProjectRef,
} from '../effective-access.js';

/** What the guards resolved for a request. */
export interface RequestContext {
  /** Null is anonymous. */
  caller: Account | null;
  /** The administrator who acts as this caller by `sudo`. */
  administrator: Account | null;
  /** The project access that was looked up together with the caller; undefined: it was not looked up. */
  found?: ProjectAccess | null;
  /** Set on routes whose ability has the scope `project`. */
  access?: ProjectAccess;
  /** Set on routes whose ability has the scope `group`. */
  groupAccess?: GroupAccess;
}

const contexts = new AttachedValue<RequestContext>();

/** Keeps the context beside the request, so that no parameter of a client can be mistaken for it. */
export function setContext(request: object, context: RequestContext): void {
  contexts.set(request, context);
}

/** @throws Error (a fault) when the request has not passed the guards */
export function contextOf(request: object): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error('The request has not passed the guards');
  return context;
}

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

/** The client that waits for the response, which takes the slots of expensive lists. */
export const Client = createParamDecorator(
  (_: unknown, execution: ExecutionContext): SlotCaller => {
    const request = execution.switchToHttp().getRequest<Request>();
    return { address: clientAddress(request), userId: contextOf(request).caller?.id };
  },
);

/** Whether an administrator acts as the caller by `sudo`. */
export const ActsBySudo = (): ParameterDecorator =>
  fromContext<boolean>(({ administrator }) => administrator !== null);

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
