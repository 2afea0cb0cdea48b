import {
  PageNumberParam,
  PageQuery,
  type PageRequest,
  type StatusProfile,
  StringParam,
  timestampFormat,
  TimestampParam,
} from '../../../platform/http/index.js';

/** `GET /projects/:id/repository/commits`. */
export class ListCommitsDto extends PageQuery {
  @PageNumberParam(0, 'Number of the page: from 0 in the profile `gitlab`, else from 1.')
  override page: number = 0;

  @StringParam({
    blank: 'absent',
    description: 'Branch, tag or hash; the default branch if absent.',
  })
  ref_name?: string;

  @TimestampParam({ description: 'Committed at this moment or later.', refuse: timestampFormat })
  since?: Date;

  @TimestampParam({ description: 'Committed at this moment or earlier.', refuse: timestampFormat })
  until?: Date;

  @StringParam({ blank: 'absent', description: 'Only commits that change this file or folder.' })
  path?: string;

  /**
   * Clients of the profile `gitlab` count the pages of this list from 0, and ask for page 1 after the one
   * that they got without a number; see docs/reference/commits.md#get-projectsidrepositorycommits.
   */
  pageRequest(profile: StatusProfile): PageRequest {
    const { page, per_page } = this;
    return profile === 'gitlab'
      ? { page, per_page, firstPage: 0 }
      : { page: Math.max(page, 1), per_page };
  }
}
