import { IdParam, StringParam } from '../../../platform/http/index.js';
import type { CreateProjectInput } from '../project-drafts.js';
import { ProjectSettingsDto, toProjectSettings } from './project-settings.dto.js';

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
