/** Columns of and conditions on merge requests `m` that several statements share. */

export const OWN_COLUMNS = `
  m.id, m.iid, m.project_id AS "projectId", m.source_project_id AS "sourceProjectId",
  m.source_branch AS "sourceBranch", m.target_branch AS "targetBranch",
  m.author_id AS "authorId", m.assignee_id AS "assigneeId", m.updated_by_id AS "updatedById",
  m.milestone_id AS "milestoneId", m.title, m.description, m.state,
  m.merge_status AS "mergeStatus", m.head_sha AS "headSha",
  m.latest_version_id AS "latestVersionId", m.checked_target_sha AS "checkedTargetSha",
  m.merge_commit_sha AS "mergeCommitSha", m.merge_user_id AS "mergeUserId",
  m.merge_when_build_succeeds AS "mergeWhenBuildSucceeds",
  m.merge_commit_message AS "mergeCommitMessage",
  m.should_remove_source_branch AS "shouldRemoveSourceBranch",
  m.should_remove_given AS "shouldRemoveGiven",
  m.force_remove_source_branch AS "forceRemoveSourceBranch",
  m.force_remove_given AS "forceRemoveGiven",
  m.force_remove_by_id AS "forceRemoveById",
  m.created_at AS "createdAt", m.updated_at AS "updatedAt"`;

/** The columns of a `LocatedMergeRequest`: of requests `m`, their projects `p` and namespaces `n`. */
export const COLUMNS = `${OWN_COLUMNS}, n.path || '/' || p.path AS "projectPath"`;

/** `FROM` and `WHERE` of requests `m` that are not deleted, nor their target projects `p` and namespaces `n`. */
export const FROM_EXISTING = `
  FROM merge_requests m
  JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL
  JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
 WHERE m.deleted_at IS NULL`;

/** In the words of the partial indexes on open requests. */
export const OPEN = `m.state IN ('opened', 'reopened') AND m.deleted_at IS NULL`;

// The indexes hold hashes of branch names; the second condition tells names of one hash apart.

/** @param name a parameter or column with the name of a branch */
export const isBranch = (column: string, name: string): string =>
  `md5(${column}) = md5(${name}) AND ${column} = ${name}`;

/** @param names a parameter with an array of branch names */
export const isAmong = (column: string, names: string): string => `
  md5(${column}) = ANY(ARRAY(SELECT md5(name) FROM unnest(${names}::text[]) AS name))
  AND ${column} = ANY(${names}::text[])`;
