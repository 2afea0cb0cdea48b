import { unauthenticated } from '../../../platform/errors/index.js';
import {
  Level,
  levelById,
  projectLevels,
  type Subject,
  unexpired,
  type Visibility,
  VISIBILITY_LEVEL,
  visibleLevels,
} from '../../authorization/index.js';

/** The statement that conditions are written for. */
export interface ScopedStatement {
  /** Adds a parameter and returns its placeholder. */
  readonly bind: (value: unknown) => string;
  /**
   * Adds a query for IDs, which runs once however often conditions refer to it, and returns its result as an array.
   * Expecting a few IDs, PostgreSQL reads the rows of an array by index. That costs little for few, and for many in
   * proportion to their number, so that one plan serves all users.
   */
  readonly collect: (idQuery: string) => string;
}

/**
 * The scope of a list, as disjoint conditions on the alias `p`. Each is selected and counted by itself, so that
 * each can use its own index.
 * @param visibility the one that a further condition restricts the list to
 */
export type ProjectScope = (statement: ScopedStatement, visibility?: Visibility) => string[];

/** Every project of the instance. */
export const allProjects: ProjectScope = () => ['true'];

/** The condition that a user is a member of a project. */
const isMember = ({ bind, collect }: ScopedStatement, userId: number): string =>
  `p.id = ANY (${collect(`SELECT own.project_id FROM (${projectLevels(bind(userId))}) own`)})`;

/** Projects that a user is a member of: directly, by group or share, or in the personal namespace. */
export const memberProjects =
  (userId: number): ProjectScope =>
  (statement) => [isMember(statement, userId)];

/**
 * Projects that a user is a member of or sees by their visibility
 * (docs/reference/projects.md#lists).
 */
export function visibleProjects(subject: Subject): ProjectScope {
  const levels = visibleLevels(subject);
  return (statement, visibility) => {
    const level = visibility && VISIBILITY_LEVEL[visibility];
    const shown = `p.visibility_level IN (${levels.join(', ')})`;
    // Leaves out conditions that match nothing, which would be searched to the end.
    if (level !== undefined && levels.includes(level)) return ['true'];
    if (subject === null) return [shown];
    const own = isMember(statement, subject.id);
    return level === undefined ? [shown, `NOT ${shown} AND ${own}`] : [own];
  };
}

/** Projects that a user may read: the visible ones, for administrators all. */
export function readableProjects(subject: Subject): ProjectScope {
  return subject?.admin === true ? allProjects : visibleProjects(subject);
}

/**
 * The same scope for short lists: checks each project by itself, instead of collecting all projects that the user
 * is a member of.
 */
export function readableOneByOne(subject: Subject): ProjectScope {
  if (subject === null || subject.admin) return readableProjects(subject);
  const shown = `p.visibility_level IN (${visibleLevels(subject).join(', ')})`;
  return ({ bind }) => [`${shown} OR ${levelById('p.id', bind(subject.id))} > 0`];
}

/** Projects in a user's personal namespace and in groups that the user owns. */
export const ownedProjects =
  (userId: number): ProjectScope =>
  ({ bind, collect }) => {
    const user = bind(userId);
    const namespaceIds = `
      SELECT n.id FROM namespaces n WHERE n.owner_id = ${user}
       UNION ALL
      SELECT g.group_id FROM group_members g
       WHERE g.user_id = ${user} AND g.access_level = ${String(Level.OWNER)}
         AND ${unexpired('g.expires_at')}`;
    return [`p.namespace_id = ANY (${collect(namespaceIds)})`];
  };

/** Projects that a user has starred, readable or not. */
export const starredProjects =
  (userId: number): ProjectScope =>
  ({ bind, collect }) => [
    `p.id = ANY (${collect(
      `SELECT s.project_id FROM project_stars s WHERE s.user_id = ${bind(userId)}`,
    )})`,
  ];

/** Projects of a group: its own and those shared with it. */
export const groupProjects =
  (groupId: number): ProjectScope =>
  (statement) => [
    ...ownGroupProjects(groupId)(statement),
    ...sharedGroupProjects(groupId)(statement),
  ];

const ownGroupProjects =
  (groupId: number): ProjectScope =>
  ({ bind }) => [`p.namespace_id = ${bind(groupId)}`];

/** Projects of other namespaces that are shared with a group. */
const sharedGroupProjects =
  (groupId: number): ProjectScope =>
  ({ bind }) => {
    const group = bind(groupId);
    return [
      `p.namespace_id <> ${group} AND p.id IN (
         SELECT l.project_id FROM project_group_links l
          WHERE l.group_id = ${group} AND ${unexpired('l.expires_at')})`,
    ];
  };

/** The intersection of two scopes. */
export const both =
  (one: ProjectScope, other: ProjectScope): ProjectScope =>
  (statement, level) => {
    const others = other(statement, level);
    return one(statement, level).flatMap((first) =>
      others.map((second) => `(${first}) AND (${second})`),
    );
  };

/** Projects on which a user has at least a level: as owner of the namespace or by a membership of any kind. */
const projectsAtLevel =
  (userId: number, least: number): ProjectScope =>
  ({ bind, collect }) => [
    `p.id = ANY (${collect(
      `SELECT own.project_id FROM (${projectLevels(bind(userId))}) own
        WHERE own.access_level >= ${bind(least)}`,
    )})`,
  ];

/** Projects in the personal namespace of a user. */
const personalProjects =
  (userId: number): ProjectScope =>
  ({ bind, collect }) => [
    `p.namespace_id = ANY (${collect(
      `SELECT n.id FROM namespaces n WHERE n.owner_id = ${bind(userId)}`,
    )})`,
  ];

/** Forks of a project. */
const forksOf =
  (projectId: number): ProjectScope =>
  ({ bind, collect }) => [
    `p.id = ANY (${collect(
      `SELECT k.forked_to_project_id FROM fork_links k WHERE k.forked_from_project_id = ${bind(projectId)}`,
    )})`,
  ];

/** Which projects a list has, besides that its reader may see them. All that is given has to match. */
export interface ProjectSelection {
  /** The reader is a member. */
  isMember?: boolean | undefined;
  /** They lie in the reader's namespace, or in a group that the reader owns. */
  isOwned?: boolean | undefined;
  isStarred?: boolean | undefined;
  /** The reader has this level at least. */
  leastLevel?: number | undefined;
  /** They lie in the personal namespace of this user. */
  personalOf?: number | undefined;
  /** They are forks of this project. */
  forkedFrom?: number | undefined;
  /** They belong to this group, or are shared with it. */
  ofGroup?: { readonly id: number; readonly withShared: boolean } | undefined;
}

const scopeOfGroup = ({ id, withShared }: { id: number; withShared: boolean }): ProjectScope =>
  withShared ? groupProjects(id) : ownGroupProjects(id);

/** The scope of a selection. @throws DomainError unauthenticated for what strangers have none of */
export function scopeOfSelection(reader: Subject, selection: ProjectSelection): ProjectScope {
  const { isMember: ofMember, isOwned, isStarred, leastLevel } = selection;
  const { personalOf, forkedFrom, ofGroup } = selection;
  const own = (scope: (userId: number) => ProjectScope): ProjectScope[] => {
    if (reader === null) throw unauthenticated();
    return [scope(reader.id)];
  };
  const readableAnyway = [
    ...(ofMember === true ? own(memberProjects) : []),
    ...(isOwned === true ? own(ownedProjects) : []),
    ...(leastLevel === undefined ? [] : own((userId) => projectsAtLevel(userId, leastLevel))),
  ];
  const scopes = [
    ...(ofGroup === undefined ? [] : [scopeOfGroup(ofGroup)]),
    ...(readableAnyway.length > 0
      ? readableAnyway
      : [ofGroup === undefined ? readableProjects(reader) : readableOneByOne(reader)]),
    ...(isStarred === true ? own(starredProjects) : []),
    ...(personalOf === undefined ? [] : [personalProjects(personalOf)]),
    ...(forkedFrom === undefined ? [] : [forksOf(forkedFrom)]),
  ];
  return scopes.reduce(both);
}
