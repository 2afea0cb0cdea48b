import {
  AllOrNoneOf,
  BooleanParam,
  IntegerParam,
  StringParam,
} from '../../../platform/http/index.js';
import type { ProfileInput } from '../user-input.js';

/** What creating and modifying a user have in common (specification 4.8). */
@AllOrNoneOf('extern_uid', 'provider')
export class UserProfileDto {
  @StringParam({ nullable: true, aliases: ['skype'] })
  messenger?: string | null;

  @StringParam({ nullable: true, aliases: ['linkedin'] })
  professional_profile?: string | null;

  @StringParam({ nullable: true, aliases: ['twitter'] })
  microblog?: string | null;

  @StringParam({ nullable: true })
  website_url?: string | null;

  @StringParam({ nullable: true })
  organization?: string | null;

  @IntegerParam({ description: "The instance's setting when absent on creation." })
  projects_limit?: number;

  @StringParam({ blank: 'absent', description: 'Who this is at the external `provider`.' })
  extern_uid?: string;

  @StringParam({ blank: 'absent' })
  provider?: string;

  @StringParam({ nullable: true })
  bio?: string | null;

  @StringParam({ nullable: true })
  location?: string | null;

  @BooleanParam()
  admin?: boolean;

  @BooleanParam()
  can_create_group?: boolean;

  @BooleanParam({ description: 'True forces `projects_limit` 0 and `can_create_group` false.' })
  external?: boolean;
}

export function toProfileInput(body: UserProfileDto): ProfileInput {
  const { provider, extern_uid: externUid } = body;
  return {
    messenger: body.messenger,
    professionalProfile: body.professional_profile,
    microblog: body.microblog,
    websiteUrl: body.website_url,
    organization: body.organization,
    projectsLimit: body.projects_limit,
    identity:
      provider === undefined || externUid === undefined ? undefined : { provider, externUid },
    bio: body.bio,
    location: body.location,
    admin: body.admin,
    canCreateGroup: body.can_create_group,
    external: body.external,
  };
}
