import pg from 'pg';

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
    FROM projects p JOIN namespaces n ON n.id = p.namespace_id
    LEFT JOIN users u ON u.id = n.owner_id
    LEFT JOIN project_members m ON m.project_id = p.id AND m.user_id = p.creator_id`;

/** One indexed statement for each resource, prepared once on every connection. */
const STATEMENTS = {
  projects: `${PROJECT} WHERE p.creator_id = $1 AND p.deleted_at IS NULL
    ORDER BY p.created_at DESC, p.id DESC LIMIT 20`,
  project: `${PROJECT} WHERE p.id = $1 AND p.deleted_at IS NULL`,
  user: `SELECT id, name, username, state, created_at, admin, bio, location, messenger,
      professional_profile, microblog, website_url, organization, email, last_sign_in_at,
      confirmed_at, current_sign_in_at, theme_id, color_scheme_id, projects_limit,
      can_create_group, external
    FROM users WHERE id = $1`,
  commits: `SELECT ${COMMIT} FROM bench.commits WHERE position >= $1 ORDER BY position LIMIT 20`,
  commit: `SELECT ${COMMIT}, authored_date, parent_ids, additions, deletions
    FROM bench.commits WHERE id = $1`,
  branches: `SELECT b.name, ${COMMIT}, authored_date, parent_ids
    FROM bench.branches b JOIN bench.commits c ON c.id = b.commit_id
    WHERE b.name >= $1 ORDER BY b.name LIMIT 100`,
};

/** What the same rows cost without a framework: `/rows/<statement>/<parameter>`. */
export class Rows {
  #pool;

  constructor(databaseUrl) {
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
    // An idle connection that breaks; whoever needs it next is told.
    this.#pool.on('error', () => undefined);
  }

  async answer([name, parameter]) {
    const { rows } = await this.#pool.query({ name, text: STATEMENTS[name], values: [parameter] });
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
