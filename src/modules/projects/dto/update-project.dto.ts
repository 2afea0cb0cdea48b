import { AtLeastOneOf, StringParam } from '../../../platform/http/index.js';
import type { ProjectChanges } from '../update-project.js';
import { ProjectSettingsDto, toProjectSettings } from './project-settings.dto.js';

/** `PUT /projects/:id`; nothing is required but something. */
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

export function toProjectChanges(body: UpdateProjectDto): ProjectChanges {
  return {
    ...toProjectSettings(body),
    name: body.name,
    path: body.path,
    defaultBranch: body.default_branch,
  };
}
