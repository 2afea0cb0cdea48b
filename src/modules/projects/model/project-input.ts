import type { Project } from './project.entity.js';

export type ProjectSwitches = Pick<
  Project,
  | 'issuesEnabled'
  | 'mergeRequestsEnabled'
  | 'wikiEnabled'
  | 'buildsEnabled'
  | 'snippetsEnabled'
  | 'containerRegistryEnabled'
  | 'sharedRunnersEnabled'
  | 'publicBuilds'
  | 'lfsEnabled'
  | 'requestAccessEnabled'
  | 'onlyAllowMergeIfBuildSucceeds'
  | 'onlyAllowMergeIfAllDiscussionsAreResolved'
>;

/** The fields that creating and updating a project share. */
export interface ProjectSettings {
  description?: string | null | undefined;
  visibilityLevel?: number | undefined;
  /** The address to copy the repository from. */
  importUrl?: string | undefined;
  switches: Partial<ProjectSwitches>;
}

export interface CreateProjectInput extends ProjectSettings {
  name: string;
  /** Made from the name when undefined. */
  path?: string | undefined;
  /** The caller's personal namespace when undefined. */
  namespaceId?: number | undefined;
  /** The branch that the first commit makes the default one; `master` when undefined. */
  initialBranch?: string | undefined;
}

export interface ProjectChanges extends ProjectSettings {
  name?: string | undefined;
  path?: string | undefined;
  defaultBranch?: string | undefined;
}
