import type { Ability } from '../../authorization/index.js';
import type { IssuableType } from '../model/issuable.js';

/** How issues, or merge requests, are addressed by the endpoints that both kinds have. */
export interface V4IssuableRoutes {
  readonly type: IssuableType;
  /** The path of one of them, such as `projects/:id/issues/:issue_iid`. */
  readonly path: string;
  /** The parameter of the path that holds its number in the project. */
  readonly iidParameter: string;
  /** What the descriptions of the endpoints call it, without an article. */
  readonly noun: string;
  /** The same with its indefinite article. */
  readonly oneNoun: string;
  /** The ability to read it, which the endpoints that change something require. */
  readonly ability: Ability;
  /** The same of endpoints that only read, which are open to anonymous readers. */
  readonly readAbility: Ability;
  /** The ability to change it whoever wrote it. */
  readonly editAbility: Ability;
  /** Refuses requests to projects in which the kind is disabled. */
  readonly requiresEnabled: ClassDecorator;
}
