import type { SlotCaller } from '../../../platform/limits/index.js';
import type { GroupAccess, ProjectAccess, Subject } from '../../authorization/index.js';

/** A project or a group that has labels and milestones. */
export type PlanningOwner = { readonly projectId: number } | { readonly groupId: number };

/** The owners whose labels or milestones are listed together: a project and its group, or one of them. */
export interface PlanningScope {
  readonly projectId?: number;
  /** A project's namespace; personal ones have no labels and milestones. */
  readonly groupId?: number;
}

/** The project or group that a reader asks for labels or milestones. */
export type PlanningPlace =
  | { readonly access: ProjectAccess }
  | { readonly group: GroupAccess; readonly client: Partial<SlotCaller> };

export interface PlanningReader {
  readonly place: PlanningPlace;
  /** Null for anonymous readers. */
  readonly reader: Subject;
}

/** The client that waits for what is read of the place. */
export const clientOf = (place: PlanningPlace): Partial<SlotCaller> =>
  'access' in place ? (place.access.project.client ?? {}) : place.client;

/** What a place has itself. */
export const ownerOf = (place: PlanningPlace): PlanningOwner =>
  'access' in place ? { projectId: place.access.project.id } : { groupId: place.group.group.id };

/** What a place shows: a project its own and those of its group. */
export const scopeOf = (place: PlanningPlace): PlanningScope =>
  'access' in place
    ? { projectId: place.access.project.id, groupId: place.access.project.namespaceId }
    : { groupId: place.group.group.id };

/** A label or milestone: one of the two is null. */
export type Owned = Readonly<Record<'projectId' | 'groupId', number | null>>;

export const isIn = (row: Owned, { projectId, groupId }: PlanningScope): boolean =>
  row.projectId === null ? row.groupId === groupId : row.projectId === projectId;
