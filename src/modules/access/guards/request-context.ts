import type { Account } from '../account.js';
import type { GroupAccess } from '../group-access/group-access.js';
import type { ProjectAccess } from '../project-access/project-access.js';

/** What the guards resolved for a request. */
export interface RequestContext {
  /** Null is anonymous. */
  caller: Account | null;
  /** Whether an administrator acts as this caller, by `sudo`. */
  sudo: boolean;
  /** The project access that was looked up together with the caller; undefined: it was not looked up. */
  found?: ProjectAccess | null;
  /** Set on routes whose ability has the scope `project`. */
  access?: ProjectAccess;
  /** Set on routes whose ability has the scope `group`. */
  groupAccess?: GroupAccess;
}

const contexts = new WeakMap<object, RequestContext>();

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
