import { invalidParameter } from '../../../platform/errors/index.js';
import {
  AtLeastOneOf,
  EnumParam,
  IdListParam,
  ObjectListParam,
  ObjectParam,
  PageQuery,
  StringListParam,
  StringParam,
  TimestampParam,
} from '../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../platform/limits/index.js';
import type { ReleaseQuery } from '../../repository/index.js';
import { LINK_TYPES, type LinkType } from '../links/release-link.entity.js';
import type { LinkValues } from '../links/release-link.rules.js';
import type { NamedMilestones } from '../model/release-milestones.repository.js';
import type { NewRelease, ReleaseChanges } from '../releases.service.js';

const MAX_DESCRIPTION = 1024 * 1024;

/** `GET /projects/:id/releases`. */
export class V4ListReleasesDto extends PageQuery {
  @EnumParam(['released_at', 'created_at'], { description: 'The order.', default: 'released_at' })
  order_by: 'released_at' | 'created_at' = 'released_at';

  @EnumParam(['asc', 'desc'], { description: 'Its direction.', default: 'desc' })
  sort: 'asc' | 'desc' = 'desc';

  @TimestampParam({ description: 'Only releases that were changed before.' })
  updated_before?: Date;

  @TimestampParam({ description: 'Only releases that were changed after.' })
  updated_after?: Date;
}

export const toReleaseQuery = (query: V4ListReleasesDto): ReleaseQuery => ({
  order: query.order_by === 'created_at' ? 'created' : 'released',
  isAscending: query.sort === 'asc',
  updatedBefore: query.updated_before,
  updatedAfter: query.updated_after,
});

/** A link to an asset of a new release, and `POST /projects/:id/releases/:tag_name/assets/links`. */
export class V4CreateReleaseLinkDto {
  @StringParam({ required: true, description: 'Unlike any other of the release.' })
  name!: string;

  @StringParam({
    required: true,
    description: 'An address of http, https or ftp, unlike any other of the release.',
  })
  url!: string;

  @StringParam({
    blank: 'absent',
    aliases: ['filepath'],
    description: 'A path such as `/bin/tool`, from which the release redirects to `url`.',
  })
  direct_asset_path?: string;

  @EnumParam(LINK_TYPES, { default: 'other' })
  link_type: LinkType = 'other';
}

/** `PUT /projects/:id/releases/:tag_name/assets/links/:link_id`. */
@AtLeastOneOf()
export class V4UpdateReleaseLinkDto {
  @StringParam({ description: 'Unlike any other of the release.' })
  name?: string;

  @StringParam({
    description: 'An address of http, https or ftp, unlike any other of the release.',
  })
  url?: string;

  @StringParam({
    nullable: true,
    emptyClears: true,
    aliases: ['filepath'],
    description: 'A path such as `/bin/tool`, from which the release redirects to `url`.',
  })
  direct_asset_path?: string | null;

  @EnumParam(LINK_TYPES)
  link_type?: LinkType;
}

export const toLinkValues = (link: V4CreateReleaseLinkDto): LinkValues => ({
  name: link.name,
  url: link.url,
  filepath: link.direct_asset_path ?? null,
  linkType: link.link_type,
});

export const toLinkChanges = (body: V4UpdateReleaseLinkDto): Partial<LinkValues> => ({
  ...(body.name !== undefined && { name: body.name }),
  ...(body.url !== undefined && { url: body.url }),
  ...(body.direct_asset_path !== undefined && { filepath: body.direct_asset_path }),
  ...(body.link_type !== undefined && { linkType: body.link_type }),
});

/** The assets of a new release. */
class V4ReleaseAssetsDto {
  @ObjectListParam(V4CreateReleaseLinkDto)
  links?: V4CreateReleaseLinkDto[];
}

/** What creating and changing a release share. */
class V4ReleaseSettingsDto {
  @StringParam({
    blank: 'absent',
    description: 'Up to 255 characters; of a new release by default the name of the tag.',
  })
  name?: string;

  @StringParam({ maxLength: MAX_DESCRIPTION })
  description?: string;

  @TimestampParam({ description: 'Of a new release by default now; may be in the future.' })
  released_at?: Date;

  @StringListParam({
    description: 'Titles of milestones of the project; an empty list for none.',
  })
  milestones?: string[];

  @IdListParam({ description: 'IDs of milestones, instead of titles.' })
  milestone_ids?: number[];
}

/** `POST /projects/:id/releases`. */
export class V4CreateReleaseDto extends V4ReleaseSettingsDto {
  @StringParam({ required: true })
  tag_name!: string;

  @StringParam({
    stringOnly: true,
    blank: 'absent',
    description: 'What the tag marks if it does not exist: a branch, a tag or a hash.',
  })
  ref?: string;

  @StringParam({
    stringOnly: true,
    blank: 'absent',
    maxLength: MAX_COMMIT_MESSAGE,
    description: 'Makes a new tag an annotated one.',
  })
  tag_message?: string;

  @ObjectParam(V4ReleaseAssetsDto, { description: 'With `links`, at most 100.' })
  assets?: V4ReleaseAssetsDto;
}

/** `PUT /projects/:id/releases/:tag_name`. */
@AtLeastOneOf()
export class V4UpdateReleaseDto extends V4ReleaseSettingsDto {}

/** @throws DomainError invalid parameter */
export const toNewRelease = (body: V4CreateReleaseDto): NewRelease => ({
  tag: body.tag_name,
  target: body.ref,
  tagMessage: body.tag_message,
  name: body.name,
  description: body.description ?? '',
  releasedAt: body.released_at,
  milestones: namedMilestones(body),
  links: (body.assets?.links ?? []).map(toLinkValues),
});

/** @throws DomainError invalid parameter */
export const toReleaseChanges = (body: V4UpdateReleaseDto): ReleaseChanges => ({
  name: body.name,
  description: body.description,
  releasedAt: body.released_at,
  milestones: namedMilestones(body),
});

function namedMilestones({
  milestones: titles,
  milestone_ids: ids,
}: V4ReleaseSettingsDto): NamedMilestones | undefined {
  if (titles !== undefined && ids !== undefined) {
    throw invalidParameter('milestones, milestone_ids are mutually exclusive');
  }
  if (ids !== undefined) return { ids };
  return titles && { titles };
}
