import type { Namespace } from '../groups/index.js';
import {
  type ApplicationSettings,
  highestUnrestricted,
  isRestricted,
  visibilityName,
} from '../settings/index.js';

/**
 * What decides on the visibility of a project (docs/reference/projects.md#visibility and
 * docs/reference/settings.md#visibility-of-new-projects-and-groups).
 */
export interface VisibilityLimits {
  caller: { admin: boolean };
  namespace: Pick<Namespace, 'ownerId' | 'visibilityLevel'>;
  settings: Pick<ApplicationSettings, 'restrictedVisibilityLevels'>;
  /** Of the project that it was forked from; absent for what is no fork. */
  sourceLevel?: number | undefined;
}

/** Why a project may not have a visibility level; empty when it may. */
export function visibilityErrors(level: number, limits: VisibilityLimits): string[] {
  const { caller, namespace, settings, sourceLevel = Infinity } = limits;
  const name = visibilityName(level);
  const group = visibilityName(namespace.visibilityLevel);
  return [
    ...(isRestricted(level, caller, settings)
      ? [`${name} has been restricted by your administrator`]
      : []),
    ...(level > ceiling(namespace) ? [`${name} is not allowed in a ${group} group.`] : []),
    ...(level > sourceLevel
      ? [`${name} is not allowed since the fork source project has lower visibility.`]
      : []),
  ];
}

/** The highest allowed level that is not above the wanted one. */
export function loweredVisibility(
  wanted: number,
  { caller, namespace, settings, sourceLevel = Infinity }: VisibilityLimits,
): number {
  return highestUnrestricted(Math.min(wanted, ceiling(namespace), sourceLevel), caller, settings);
}

/** Personal namespaces set no limit. */
function ceiling({ ownerId, visibilityLevel }: VisibilityLimits['namespace']): number {
  return ownerId === null ? visibilityLevel : Infinity;
}
