import {
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  IdParam,
  StringParam,
} from '../../../platform/http/index.js';
import type { Visibility } from '../../authorization/index.js';
import { readVisibility, VISIBILITY_LEVELS } from '../../authorization/v3/index.js';
import type {
  CreateProjectInput,
  ProjectChanges,
  ProjectSettings,
  ProjectSwitches,
} from '../model/project.rules.js';

/** The parameters that creating and updating a project share (docs/reference/projects.md#post-projects). */
class ProjectSettingsDto {
  @StringParam({ nullable: true, description: 'Up to 2,000 characters.' })
  description?: string | null;

  @BooleanParam()
  issues_enabled?: boolean;

  @BooleanParam()
  merge_requests_enabled?: boolean;

  @BooleanParam()
  builds_enabled?: boolean;

  @BooleanParam()
  wiki_enabled?: boolean;

  @BooleanParam()
  snippets_enabled?: boolean;

  @BooleanParam()
  container_registry_enabled?: boolean;

  @BooleanParam()
  shared_runners_enabled?: boolean;

  @BooleanParam({ description: 'True equals `visibility_level` 20, false 0.' })
  public?: boolean;

  @EnumParam(VISIBILITY_LEVELS, {
    description: '0 private, 10 internal, 20 public; wins over `public`.',
  })
  visibility_level?: number;

  @StringParam({ blank: 'absent', description: 'Where to copy the repository from.' })
  import_url?: string;

  @BooleanParam()
  public_builds?: boolean;

  @BooleanParam()
  only_allow_merge_if_build_succeeds?: boolean;

  @BooleanParam()
  only_allow_merge_if_all_discussions_are_resolved?: boolean;

  @BooleanParam()
  lfs_enabled?: boolean;

  @BooleanParam()
  request_access_enabled?: boolean;
}

/** `POST /projects`. */
export class CreateProjectDto extends ProjectSettingsDto {
  @StringParam({ required: true })
  name!: string;

  @StringParam({ blank: 'absent', description: 'Made from the name when absent.' })
  path?: string;

  @IdParam({ description: "The owner's personal namespace when absent." })
  namespace_id?: number;
}

/** `POST /projects/user/:user_id`. */
export class CreateProjectForUserDto extends CreateProjectDto {
  @StringParam({
    stringOnly: true,
    blank: 'absent',
    description: 'The branch that the first commit makes the default one; `master` when absent.',
  })
  default_branch?: string;
}

/** `PUT /projects/:id`; at least one parameter is required. */
@AtLeastOneOf(
  'name',
  'path',
  'default_branch',
  'description',
  'issues_enabled',
  'merge_requests_enabled',
  'builds_enabled',
  'wiki_enabled',
  'snippets_enabled',
  'container_registry_enabled',
  'shared_runners_enabled',
  'public',
  'visibility_level',
  'import_url',
  'public_builds',
  'only_allow_merge_if_build_succeeds',
  'only_allow_merge_if_all_discussions_are_resolved',
  'lfs_enabled',
  'request_access_enabled',
)
export class UpdateProjectDto extends ProjectSettingsDto {
  @StringParam({ description: 'Changed by owners only.' })
  name?: string;

  @StringParam()
  path?: string;

  @StringParam({
    stringOnly: true,
    blank: 'absent',
    description: 'Has to exist; of an empty repository the branch that the first commit makes.',
  })
  default_branch?: string;
}

export function toCreateProjectInput(
  body: CreateProjectDto & Pick<CreateProjectForUserDto, 'default_branch'>,
): CreateProjectInput {
  return {
    ...toProjectSettings(body),
    name: body.name,
    path: body.path,
    namespaceId: body.namespace_id,
    initialBranch: body.default_branch,
  };
}

export function toProjectChanges(body: UpdateProjectDto): ProjectChanges {
  return {
    ...toProjectSettings(body),
    name: body.name,
    path: body.path,
    defaultBranch: body.default_branch,
  };
}

function toProjectSettings(body: ProjectSettingsDto): ProjectSettings {
  return {
    description: body.description,
    visibility: readVisibility(body.visibility_level) ?? readPublic(body.public),
    importUrl: body.import_url,
    switches: omitUndefined({
      issuesEnabled: body.issues_enabled,
      mergeRequestsEnabled: body.merge_requests_enabled,
      buildsEnabled: body.builds_enabled,
      wikiEnabled: body.wiki_enabled,
      snippetsEnabled: body.snippets_enabled,
      containerRegistryEnabled: body.container_registry_enabled,
      sharedRunnersEnabled: body.shared_runners_enabled,
      publicBuilds: body.public_builds,
      onlyAllowMergeIfBuildSucceeds: body.only_allow_merge_if_build_succeeds,
      onlyAllowMergeIfAllDiscussionsAreResolved:
        body.only_allow_merge_if_all_discussions_are_resolved,
      lfsEnabled: body.lfs_enabled,
      requestAccessEnabled: body.request_access_enabled,
    }),
  };
}

function readPublic(isPublic: boolean | undefined): Visibility | undefined {
  if (isPublic === undefined) return undefined;
  return isPublic ? 'public' : 'private';
}

/** Absent parameters leave the defaults of a new project and the columns of an existing one. */
function omitUndefined(
  switches: Partial<Record<keyof ProjectSwitches, boolean | undefined>>,
): Partial<ProjectSwitches> {
  return Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== undefined));
}
