import type { Type } from '@nestjs/common';
import type { Ability } from '../../authorization/index.js';
import type { IssuableType } from '../model/issuable.js';

/** How issues, or merge requests, are addressed by the endpoints that both kinds have. */
export interface IssuableRoutes {
  readonly type: IssuableType;
  /** The path of one of them, such as `projects/:id/issues/:issue_id`. */
  readonly path: string;
  /** The parameter of the path that holds its ID. */
  readonly idParameter: string;
  /** What the descriptions of the endpoints call it, without an article. */
  readonly noun: string;
  /** The same with its indefinite article. */
  readonly oneNoun: string;
  /** The ability to read it, which all of these endpoints require. */
  readonly ability: Ability;
  /** Refuses requests to projects in which the kind is disabled. */
  readonly requiresEnabled: ClassDecorator;
  /** The class of its response. */
  readonly view: Type<object>;
}
