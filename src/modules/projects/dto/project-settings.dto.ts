import { BooleanParam, EnumParam, StringParam } from '../../../platform/http/index.js';
import type { ProjectSettings, ProjectSwitches } from '../project-drafts.js';

const PRIVATE = 0;
const PUBLIC = 20;

/** What both making and changing a project take (docs/reference/projects.md#post-projects). */
export class ProjectSettingsDto {
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

  @EnumParam([0, 10, 20], { description: '0 private, 10 internal, 20 public; wins over `public`.' })
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

export function toProjectSettings(body: ProjectSettingsDto): ProjectSettings {
  return {
    description: body.description,
    visibilityLevel: body.visibility_level ?? levelOf(body.public),
    importUrl: body.import_url,
    switches: given({
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

function levelOf(isPublic: boolean | undefined): number | undefined {
  if (isPublic === undefined) return undefined;
  return isPublic ? PUBLIC : PRIVATE;
}

/** Leaves out what was not given, so that defaults apply, or what was there before. */
function given(switches: Record<string, boolean | undefined>): Partial<ProjectSwitches> {
  return Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== undefined));
}
