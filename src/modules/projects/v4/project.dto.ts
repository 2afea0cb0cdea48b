import {
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  IdParam,
  StringListParam,
  StringParam,
} from '../../../platform/http/index.js';
import { VISIBILITIES, type Visibility } from '../../authorization/index.js';
import {
  MERGE_METHODS,
  type MergeMethod,
  SQUASH_OPTIONS,
  type SquashOption,
} from '../model/project.entity.js';
import type {
  CreateProjectInput,
  ProjectChanges,
  ProjectSettings,
  ProjectSwitches,
} from '../model/project.rules.js';

const LEVELS = ['disabled', 'enabled'] as const;

type AccessLevel = (typeof LEVELS)[number];

const WINS = { description: 'Wins over the switch that ends in `_enabled`.' };

/** The parameters that creating and updating a project share. */
class V4ProjectSettingsDto {
  @StringParam({ nullable: true, description: 'Up to 2,000 characters.' })
  description?: string | null;

  @EnumParam(VISIBILITIES)
  visibility?: Visibility;

  @StringListParam({
    aliases: ['tag_list'],
    description: 'Up to 100 names of up to 255 characters, whose case does not count.',
  })
  topics?: string[];

  @StringParam({
    stringOnly: true,
    blank: 'absent',
    description:
      'Of an empty repository the branch that the first commit makes; else it has to exist.',
  })
  default_branch?: string;

  @StringParam({ blank: 'absent', description: 'Where to copy the repository from.' })
  import_url?: string;

  @BooleanParam()
  issues_enabled?: boolean;

  @BooleanParam()
  merge_requests_enabled?: boolean;

  @BooleanParam()
  jobs_enabled?: boolean;

  @BooleanParam()
  wiki_enabled?: boolean;

  @BooleanParam()
  snippets_enabled?: boolean;

  @BooleanParam()
  container_registry_enabled?: boolean;

  @EnumParam(LEVELS, WINS)
  issues_access_level?: AccessLevel;

  @EnumParam(LEVELS, WINS)
  merge_requests_access_level?: AccessLevel;

  @EnumParam(LEVELS, { description: 'Wins over `jobs_enabled`.' })
  builds_access_level?: AccessLevel;

  @EnumParam(LEVELS, WINS)
  wiki_access_level?: AccessLevel;

  @EnumParam(LEVELS, WINS)
  snippets_access_level?: AccessLevel;

  @EnumParam(LEVELS, WINS)
  container_registry_access_level?: AccessLevel;

  @BooleanParam()
  shared_runners_enabled?: boolean;

  @BooleanParam({ aliases: ['public_builds'] })
  public_jobs?: boolean;

  @BooleanParam()
  only_allow_merge_if_pipeline_succeeds?: boolean;

  @BooleanParam()
  only_allow_merge_if_all_discussions_are_resolved?: boolean;

  @EnumParam(MERGE_METHODS, { description: 'How merge requests are merged, by either version.' })
  merge_method?: MergeMethod;

  @EnumParam(SQUASH_OPTIONS, { description: 'Whether merges squash, by either version.' })
  squash_option?: SquashOption;

  @BooleanParam()
  lfs_enabled?: boolean;

  @BooleanParam()
  request_access_enabled?: boolean;
}

/** `POST /projects`. */
@AtLeastOneOf('name', 'path')
export class V4CreateProjectDto extends V4ProjectSettingsDto {
  @StringParam({ description: 'The path when absent.' })
  name?: string;

  @StringParam({ blank: 'absent', description: 'Made from the name when absent.' })
  path?: string;

  @IdParam({ description: "The caller's personal namespace when absent." })
  namespace_id?: number;

  @BooleanParam({
    description: 'Whether the repository begins with a commit of a `README.md`.',
    default: false,
  })
  initialize_with_readme: boolean = false;
}

/** `PUT /projects/:id`; at least one parameter is required. */
@AtLeastOneOf()
export class V4UpdateProjectDto extends V4ProjectSettingsDto {
  @StringParam({ description: 'Changed by owners only.' })
  name?: string;

  @StringParam()
  path?: string;
}

export function toV4CreateProjectInput(body: V4CreateProjectDto): CreateProjectInput {
  return {
    ...toProjectSettings(body),
    name: body.name ?? body.path ?? '',
    path: body.path,
    namespaceId: body.namespace_id,
    initialBranch: body.default_branch,
    withReadme: body.initialize_with_readme,
  };
}

export function toV4ProjectChanges(body: V4UpdateProjectDto): ProjectChanges {
  return {
    ...toProjectSettings(body),
    name: body.name,
    path: body.path,
    defaultBranch: body.default_branch,
  };
}

function toProjectSettings(body: V4ProjectSettingsDto): ProjectSettings {
  return {
    description: body.description,
    visibility: body.visibility,
    topics: body.topics,
    importUrl: body.import_url,
    switches: omitUndefined({
      issuesEnabled: isEnabled(body.issues_access_level, body.issues_enabled),
      mergeRequestsEnabled: isEnabled(
        body.merge_requests_access_level,
        body.merge_requests_enabled,
      ),
      buildsEnabled: isEnabled(body.builds_access_level, body.jobs_enabled),
      wikiEnabled: isEnabled(body.wiki_access_level, body.wiki_enabled),
      snippetsEnabled: isEnabled(body.snippets_access_level, body.snippets_enabled),
      containerRegistryEnabled: isEnabled(
        body.container_registry_access_level,
        body.container_registry_enabled,
      ),
      sharedRunnersEnabled: body.shared_runners_enabled,
      publicBuilds: body.public_jobs,
      onlyAllowMergeIfBuildSucceeds: body.only_allow_merge_if_pipeline_succeeds,
      onlyAllowMergeIfAllDiscussionsAreResolved:
        body.only_allow_merge_if_all_discussions_are_resolved,
      mergeMethod: body.merge_method,
      squashOption: body.squash_option,
      lfsEnabled: body.lfs_enabled,
      requestAccessEnabled: body.request_access_enabled,
    }),
  };
}

const isEnabled = (
  level: AccessLevel | undefined,
  enabled: boolean | undefined,
): boolean | undefined => (level === undefined ? enabled : level === 'enabled');

/** Absent parameters leave the defaults of a new project and the columns of an existing one. */
function omitUndefined(switches: {
  [Name in keyof ProjectSwitches]?: ProjectSwitches[Name] | undefined;
}): Partial<ProjectSwitches> {
  return Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== undefined));
}
