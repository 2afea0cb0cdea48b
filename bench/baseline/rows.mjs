const COMMIT = `id, short_id, title, message, author_name, author_email, committer_name,
  committer_email, created_at`;

const PROJECT = `
  SELECT p.id, p.name, p.path, p.description, p.default_branch, p.visibility_level, p.archived,
         p.issues_enabled, p.merge_requests_enabled, p.wiki_enabled, p.builds_enabled,
         p.snippets_enabled, p.container_registry_enabled, p.shared_runners_enabled,
         p.public_builds, p.lfs_enabled, p.request_access_enabled,
         p.only_allow_merge_if_build_succeeds,
         p.only_allow_merge_if_all_discussions_are_resolved, p.created_at, p.last_activity_at,
         p.creator_id, p.star_count, p.forks_count,
         n.id AS namespace_id, n.name AS namespace_name, n.path AS namespace_path,
         n.owner_id, n.description AS namespace_description,
         n.created_at AS namespace_created_at, n.updated_at AS namespace_updated_at,
         n.share_with_group_lock, n.visibility_level AS namespace_visibility_level,
         u.name AS owner_name, u.username AS owner_username, u.state AS owner_state,
         u.created_at AS owner_created_at, m.access_level, m.notification_level
    FROM project_members m JOIN projects p ON p.id = m.project_id
    JOIN namespaces n ON n.id = p.namespace_id
    LEFT JOIN users u ON u.id = n.owner_id
   WHERE m.user_id = $1 AND p.deleted_at IS NULL`;

const user = (alias, role) => `${alias}.id AS ${role}_id, ${alias}.name AS ${role}_name,
  ${alias}.username AS ${role}_username, ${alias}.state AS ${role}_state,
  ${alias}.email AS ${role}_email`;

/** What issues and merge requests embed, without the counts. */
const relationsOf = (type) => `
  ${user('a', 'author')}, ${user('s', 'assignee')}, m.id AS milestone_id, m.iid AS milestone_iid,
  m.title AS milestone_title, m.description AS milestone_description, m.state AS milestone_state,
  m.due_date AS milestone_due_date, m.start_date AS milestone_start_date,
  m.created_at AS milestone_created_at, m.updated_at AS milestone_updated_at,
  ARRAY(SELECT l.name FROM label_links k JOIN labels l ON l.id = k.label_id
         WHERE k.target_type = '${type}' AND k.target_id = i.id) AS labels`;
const JOINS = `
  JOIN users a ON a.id = i.author_id
  LEFT JOIN users s ON s.id = i.assignee_id
  LEFT JOIN milestones m ON m.id = i.milestone_id`;

const ISSUE = `
  SELECT i.id, i.iid, i.project_id, i.title, i.description, i.state, i.confidential, i.due_date,
         i.created_at, i.updated_at, ${relationsOf('Issue')}
    FROM issues i ${JOINS} WHERE i.project_id = $1 AND i.deleted_at IS NULL`;

const MERGE_REQUEST = `
  SELECT i.id, i.iid, i.project_id, i.title, i.description, i.state, i.source_project_id,
         i.source_branch, i.target_branch, i.merge_status, i.head_sha, i.merge_commit_sha,
         i.merge_when_build_succeeds, i.should_remove_source_branch,
         i.force_remove_source_branch, i.created_at, i.updated_at, ${relationsOf('MergeRequest')}
    FROM merge_requests i ${JOINS} WHERE i.project_id = $1 AND i.deleted_at IS NULL`;

/** One indexed statement for each resource, prepared once on every connection. */
const STATEMENTS = {
  projects: `${PROJECT} ORDER BY p.created_at DESC, p.id DESC LIMIT 20`,
  project: `${PROJECT} AND p.id = $2`,
  user: `SELECT id, name, username, state, created_at, admin, bio, location, messenger,
      professional_profile, microblog, website_url, organization, email, last_sign_in_at,
      confirmed_at, current_sign_in_at, theme_id, color_scheme_id, projects_limit,
      can_create_group, external
    FROM users WHERE id = $1`,
  // In the order of their numbers, which has an index of its own.
  issues: `${ISSUE} ORDER BY i.iid DESC LIMIT 20`,
  issue: `${ISSUE} AND i.id = $2`,
  'merge-requests': `${MERGE_REQUEST} ORDER BY i.iid DESC LIMIT 20`,
  'merge-request': `${MERGE_REQUEST} AND i.id = $2`,
  notes: `SELECT n.id, n.body, n.created_at, n.updated_at, n.system, n.noteable_id,
      n.noteable_type, ${user('a', 'author')}
    FROM notes n JOIN users a ON a.id = n.author_id
    WHERE n.noteable_type = 'Issue' AND n.noteable_id = $1 ORDER BY n.id LIMIT 20`,
  commits: `SELECT ${COMMIT} FROM bench.commits WHERE position >= $1 ORDER BY position LIMIT 20`,
  commit: `SELECT ${COMMIT}, authored_date, parent_ids, additions, deletions
    FROM bench.commits WHERE id = $1`,
  branches: `SELECT b.name, ${COMMIT}, authored_date, parent_ids
    FROM bench.branches b JOIN bench.commits c ON c.id = b.commit_id
    ORDER BY b.name LIMIT $1`,
};

/** What the same rows cost without a framework: `/rows/<statement>/<parameters>`. */
export class Rows {
  #pool;

  /** @param {import('pg').Pool} pool */
  constructor(pool) {
    this.#pool = pool;
  }

  async answer([name, ...values]) {
    const { rows } = await this.#pool.query({ name, text: STATEMENTS[name], values });
    return rows;
  }
}

/** The tables that stand for commits and branches, as if they were kept in rows. */
export const TABLES = `
  CREATE SCHEMA bench;
  CREATE TABLE bench.commits (
    position integer PRIMARY KEY, id text NOT NULL UNIQUE, short_id text, title text, message text,
    author_name text, author_email text, authored_date text, committer_name text,
    committer_email text, created_at text, parent_ids text[], additions integer, deletions integer);
  CREATE TABLE bench.branches (name text COLLATE "C" PRIMARY KEY, commit_id text NOT NULL)`;
