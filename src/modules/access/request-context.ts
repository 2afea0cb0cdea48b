import type { Account } from './callers.js';
import type { GroupAccess } from './group-access.js';
import type { ProjectAccess } from './project-access.js';

/** What the guards found out about a request. */
export interface RequestContext {
  /** Null is anonymous. */
  caller: Account | null;
  /** The caller acts as somebody else (open points 1.7). */
  sudo: boolean;
  /** What was found of the project when the caller was looked for; undefined: it was not looked for. */
  found?: ProjectAccess | null;
  /** Set on routes whose ability is one on a project. */
  access?: ProjectAccess;
  /** Set on routes whose ability is one on a group. */
  groupAccess?: GroupAccess;
}

const contexts = new WeakMap<object, RequestContext>();

/** Kept beside the request, not on it, so that nothing a client sends can be mistaken for it. */
export function setContext(request: object, context: RequestContext): void {
  contexts.set(request, context);
}

/** @throws when the guards have not seen the request: a mistake in the wiring */
export function contextOf(request: object): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error('The request has not passed the guards');
  return context;
}
