import type { ProjectRef } from '../../authorization/index.js';
import { referenceText } from '../../issuables/index.js';
import type { Related } from '../links/issue-links.service.js';
import { V4IssueView } from './issue.view.js';

/** An issue that is linked to another one. */
export class V4RelatedIssueView extends V4IssueView {
  issue_link_id!: number;
  /** Always `relates_to`. */
  link_type!: string;
  link_created_at!: Date;
  /** The same: links do not change. */
  link_updated_at!: Date;
}

/** A link between two issues. */
export class V4IssueLinkView {
  id!: number;
  source_issue!: V4IssueView;
  target_issue!: V4IssueView;
  /** Always `relates_to`. */
  link_type!: string;
}

/** @param home the project of the issue that it is linked to */
export const presentRelatedIssue = (
  issue: V4IssueView,
  { link, other }: Related,
  home: ProjectRef,
): V4RelatedIssueView => ({
  ...issue,
  references: {
    ...issue.references,
    relative: referenceText(`#${String(issue.iid)}`, other.access.project, home),
  },
  issue_link_id: link.id,
  link_type: 'relates_to',
  link_created_at: link.createdAt,
  link_updated_at: link.createdAt,
});
