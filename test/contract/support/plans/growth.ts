import type { YoungInstance } from './young-instance.js';

/** How many rows each table gets. */
export const GROWN = 1_000;

/**
 * The statements by which each table gets a thousand rows. A half of those that belong to something belong to what requests
 * name, the other half to others, as far as both can be: a walk through either is long.
 */
export function growthStatements(instance: YoungInstance): string[] {
  const { owner, member, visitor, group, project, otherProject, head, ids } = instance;
  const [P, O, M, G] = [project.id, owner.user.id, member.user.id, group.id].map(String) as [
    string,
    string,
    string,
    string,
  ];
  const n = `generate_series(1, ${String(GROWN)}) n`;
  const isOdd = 'n % 2 = 1';
  /** The n-th of the rows that were added to a table. */
  const nth = (table: string, where = 'true') =>
    `((SELECT min(id) FROM ${table} WHERE ${where}) + n - 1)`;
  const user = nth('users', `username LIKE 'grown-%'`);
  const space = nth('namespaces', `path LIKE 'grown-%'`);
  const place = nth('projects', `path LIKE 'grown-%'`);
  const person = `CASE n % 4 WHEN 0 THEN ${O} WHEN 1 THEN ${M} WHEN 2 THEN ${String(visitor.user.id)} ELSE ${user} END`;
  const half = (mine: string, others: string) =>
    `CASE WHEN ${isOdd} THEN ${mine} ELSE ${others} END`;
  return [
    `INSERT INTO users (username, name, email, password_hash, private_token_digest, private_token_sealed)
     SELECT t, t, t || '@example.com', 'none', md5(t), 'none' FROM ${n}, concat('grown-', n) t`,
    `INSERT INTO namespaces (name, path, visibility_level)
     SELECT t, t, n % 3 * 10 FROM ${n}, concat('grown-', n) t`,
    `INSERT INTO topics (name, internal_projects_count) SELECT concat('grown-', n), n % 2 FROM ${n}`,
    `INSERT INTO projects (namespace_id, creator_id, name, path, visibility_level, runners_token_sealed, topics)
     SELECT CASE n % 3 WHEN 0 THEN ${G} WHEN 1 THEN (SELECT id FROM namespaces WHERE owner_id = ${O}) ELSE ${space} END,
            ${O}, t, t, 0, 'none', CASE WHEN n % 2 = 0 THEN ARRAY[t] ELSE '{}' END FROM ${n}, concat('grown-', n) t`,
    `INSERT INTO group_members (group_id, user_id, access_level)
     SELECT ${half(G, space)}, ${half(user, O)}, 20 FROM ${n}`,
    `INSERT INTO project_members (project_id, user_id, access_level)
     SELECT ${half(P, place)}, ${half(user, M)}, 20 FROM ${n}`,
    `INSERT INTO project_group_links (project_id, group_id, group_access) SELECT ${place}, ${half(G, space)}, 20 FROM ${n}`,
    `INSERT INTO project_stars (project_id, user_id) SELECT ${half(P, place)}, ${half(user, O)} FROM ${n}`,
    `INSERT INTO fork_links (forked_to_project_id, forked_from_project_id)
     SELECT ${place}, ${half(P, String(otherProject.id))} FROM ${n}`,
    `INSERT INTO project_sizes (project_id, repository_bytes, uploads_bytes) SELECT ${place}, 1, 1 FROM ${n}
     ON CONFLICT DO NOTHING`,
    `INSERT INTO project_imports (project_id, user_id, address, state) SELECT ${place}, ${O}, 'https://example.com', 'finished' FROM ${n}`,
    `INSERT INTO storage_reservations (project_id, part, bytes, expires_at)
     SELECT ${place}, 'uploads', 1, now() + interval '1 day' FROM ${n}`,
    `INSERT INTO protected_branches (project_id, name) SELECT ${half(P, place)}, concat('grown-', n) FROM ${n}`,
    `INSERT INTO releases (project_id, tag, description) SELECT ${half(P, place)}, concat('grown-', n), '' FROM ${n}`,
    `INSERT INTO release_links (release_id, name, url)
     SELECT ${nth('releases', `tag LIKE 'grown-%'`)}, concat('grown-', n), concat('https://files.example.com/', n) FROM ${n}`,
    `INSERT INTO ssh_keys (user_id, title, key, fingerprint)
     SELECT CASE n % 3 WHEN 0 THEN ${O} WHEN 1 THEN ${user} END, 'grown', concat('grown-', n), md5(n::text) FROM ${n}`,
    `INSERT INTO deploy_keys_projects (project_id, deploy_key_id)
     SELECT CASE WHEN row_number() OVER () % 2 = 0 THEN ${P} ELSE p.id END, k.id
       FROM (SELECT id, row_number() OVER () AS n FROM ssh_keys WHERE user_id IS NULL AND title = 'grown') k
       JOIN (SELECT id, row_number() OVER () AS n FROM projects WHERE path LIKE 'grown-%') p USING (n)`,
    `INSERT INTO emails (user_id, email) SELECT ${half(O, user)}, concat('grown-', n, '@mail.example.com') FROM ${n}`,
    `INSERT INTO identities (user_id, provider, extern_uid) SELECT ${user}, 'ldap', concat('grown-', n) FROM ${n}`,
    `INSERT INTO web_sessions (user_id, token_hash, address, expires_at)
     SELECT ${half(O, user)}, md5(n::text), '127.0.0.1', now() + interval '1 day' FROM ${n}`,
    `INSERT INTO rate_limits (key, points, expire) SELECT concat('grown-', n), 1, 0 FROM ${n}`,
    `INSERT INTO milestones (project_id, iid, title) SELECT ${half(P, place)}, 100 + n, concat('grown-', n) FROM ${n}`,
    `INSERT INTO release_milestones (release_id, milestone_id)
     SELECT ${nth('releases', `tag LIKE 'grown-%'`)}, ${nth('milestones', `title LIKE 'grown-%'`)} FROM ${n}`,
    `INSERT INTO milestones (group_id, iid, title) SELECT ${half(G, space)}, 100 + n, concat('grown-inherited-', n) FROM ${n}`,
    `INSERT INTO group_internal_ids (group_id, kind, last_iid) SELECT ${space}, 'Milestone', 2000 FROM ${n}`,
    `INSERT INTO labels (project_id, name, color) SELECT ${half(P, place)}, concat('grown-', n), '#428BCA' FROM ${n}`,
    `INSERT INTO labels (group_id, name, color) SELECT ${half(G, space)}, concat('grown-inherited-', n), '#428BCA' FROM ${n}`,
    `INSERT INTO label_priorities (label_id, project_id, priority)
     SELECT ${nth('labels', `name LIKE 'grown-inherited-%'`)}, ${half(P, place)}, 1 FROM ${n}`,
    `INSERT INTO issues (project_id, iid, author_id, assignee_id, milestone_id, title, confidential, state)
     SELECT ${P}, 100 + n, ${person}, ${half('NULL', user)}, CASE WHEN n % 10 = 0 THEN ${String(ids['milestone'])} END,
            concat('grown-', n), n % 50 = 7, CASE WHEN n % 3 = 0 THEN 'closed' ELSE 'opened' END FROM ${n}`,
    `INSERT INTO issues (project_id, iid, author_id, title) SELECT ${place}, 1, ${person}, 'elsewhere' FROM ${n}`,
    // The first issue has few links, since there is a bound on them.
    `INSERT INTO issue_links (source_id, target_id)
     SELECT i.id, i.id + 1 FROM issues i JOIN issues next ON next.id = i.id + 1 WHERE i.title LIKE 'grown-%'`,
    `INSERT INTO internal_ids (project_id, kind, last_iid)
     SELECT ${place}, kind, 2 FROM ${n}, unnest('{Issue,MergeRequest}'::text[]) kind`,
    `UPDATE internal_ids SET last_iid = 5000 WHERE project_id = ${P}`,
    `INSERT INTO merge_requests (project_id, source_project_id, iid, author_id, milestone_id, title, source_branch, target_branch, head_sha, state)
     SELECT ${half(P, place)}, ${half(P, place)}, 100 + n, ${person}, NULL, concat('grown-', n), concat('grown-', n), 'master', '${head}',
            (ARRAY['opened', 'closed', 'merged'])[1 + n / 2 % 3] FROM ${n}`,
    // Each author has few drafts on a request, since there is a bound on them.
    `INSERT INTO draft_notes (merge_request_id, author_id, body)
     SELECT ${nth('merge_requests', `title LIKE 'grown-%'`)}, ${person}, 'grown' FROM ${n}`,
    `INSERT INTO merge_request_versions (merge_request_id, start_commit_sha, head_commit_sha, state)
     SELECT ${nth('merge_requests', `title LIKE 'grown-%'`)}, '${head}', '${head}', 'collected' FROM ${n}`,
    // Attempts exist only while a merge is under way.
    `INSERT INTO merge_attempts (merge_request_id, commit_sha, user_id, should_remove_source_branch)
     SELECT ${nth('merge_requests', `title LIKE 'grown-%'`)}, md5(n::text), ${person}, false FROM generate_series(1, 10) n`,
    ...(['Issue', 'MergeRequest'] as const).flatMap((type) => {
      const table = type === 'Issue' ? 'issues' : 'merge_requests';
      return [
        `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body)
         SELECT ${P}, '${type}', id, ${person}, 'grown' FROM (SELECT id, iid - 100 AS n FROM ${table} WHERE title LIKE 'grown-%') t`,
        `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, type, discussion_id, is_reply, resolved_at, resolved_by_id)
         SELECT project_id, noteable_type, noteable_id, author_id, 'grown', 'DiscussionNote', id, reply, CASE WHEN id % 2 = 0 THEN now() END, CASE WHEN id % 2 = 0 THEN author_id END
           FROM notes, unnest('{false,true}'::boolean[]) reply WHERE noteable_type = '${type}' AND body = 'grown'`,
        `INSERT INTO award_emoji (project_id, awardable_type, awardable_id, user_id, name)
         SELECT ${P}, '${type}', id, ${person}, 'thumbsup' FROM (SELECT id, iid - 100 AS n FROM ${table} WHERE title LIKE 'grown-%') t`,
        `INSERT INTO subscriptions (project_id, target_type, target_id, user_id, subscribed)
         SELECT ${P}, '${type}', id, ${person}, true FROM (SELECT id, iid - 100 AS n FROM ${table} WHERE title LIKE 'grown-%') t`,
        `INSERT INTO mentions (project_id, target_type, target_id, user_id)
         SELECT ${P}, '${type}', id, ${person} FROM (SELECT id, iid - 100 AS n FROM ${table} WHERE title LIKE 'grown-%') t`,
        `INSERT INTO todos (user_id, project_id, target_type, target_id, author_id, action)
         SELECT ${half(O, user)}, ${P}, '${type}', id, ${person}, 'assigned' FROM (SELECT id, iid - 100 AS n FROM ${table} WHERE title LIKE 'grown-%') t`,
        `INSERT INTO label_links (target_type, target_id, label_id, created_at, state, confidential, author_id)
         SELECT '${type}', t.id, l.id, t.created_at, t.state, false, t.author_id
           FROM ${table} t, labels l WHERE t.project_id = ${P} AND t.title LIKE 'grown-%' AND l.project_id = ${P} AND l.name = concat('grown-', t.iid - 100 - (t.iid - 101) % 2)`,
        `INSERT INTO label_links (target_type, target_id, label_id, created_at, state, confidential, author_id, project_id)
         SELECT '${type}', t.id, l.id, t.created_at, t.state, false, t.author_id, t.project_id
           FROM ${table} t, labels l WHERE t.title LIKE 'grown-%' AND t.iid % 4 = 0 AND l.group_id = ${G} AND l.name = 'inherited'`,
        `INSERT INTO events (project_id, author_id, action, target_type, target_id)
         SELECT ${P}, ${person}, 'created', '${type}', id FROM (SELECT id, iid - 100 AS n FROM ${table} WHERE title LIKE 'grown-%') t`,
      ];
    }),
    `INSERT INTO label_count_changes (label_id, target_type, opened, opened_confidential, closed, closed_confidential)
     SELECT ${nth('labels', `name LIKE 'grown-%'`)}, 'Issue', 0, 0, 0, 0 FROM ${n}`,
    `INSERT INTO commit_comments (project_id, sha, commit_title, author_id, note)
     SELECT ${half(P, place)}, md5(n::text), '', ${person}, 'grown' FROM ${n}`,
    `INSERT INTO commit_statuses (project_id, sha, ref, name, status, author_id)
     SELECT ${half(P, place)}, md5(n::text), 'master', 'default', 'success', ${person} FROM ${n}`,
    `INSERT INTO hooks (project_id, url, push_events) SELECT ${place}, 'https://receiver.example.com/', true FROM ${n}`,
    `INSERT INTO hook_events (kind, facts) SELECT 'issue', '{"grown": true}' FROM ${n}`,
    `INSERT INTO hook_deliveries (hook_id, event_id, kind, message_id, state)
     SELECT CASE n % 3 WHEN 0 THEN ${String(ids['hook'])} WHEN 1 THEN ${String(ids['systemHook'])} ELSE ${nth('hooks', `id NOT IN (${String(ids['hook'])}, ${String(ids['systemHook'])})`)} END,
            ${nth('hook_events', `facts::jsonb ? 'grown'`)}, 'issue', concat('msg_', n), 'delivered' FROM ${n}`,
    // Jobs stay only until they are done.
    `INSERT INTO outbox (queue, name, payload, run_at) SELECT 'grown', 'job', jsonb_build_object('n', n), now() + interval '1 day' FROM generate_series(1, 50) n`,
    `INSERT INTO push_intents (project_id, user_id, updates, host) SELECT ${place}, ${O}, '[]', 'elsewhere' FROM ${n}`,
    `INSERT INTO ref_moves (project_id, process, targets) SELECT ${place}, gen_random_uuid(), '[]' FROM ${n}`,
    `INSERT INTO audit_events (action, author_id, author_name, target_type, target_id, project_id, group_id, ip)
     SELECT 'member.added', ${person}, 'grown', 'user', ${user}, ${half(P, place)}, ${half(G, space)}, '127.0.0.1' FROM ${n}`,
    `INSERT INTO process_statistics (period_start, process_id, role, requests, server_errors, event_loop_delay_ms, memory_bytes, jobs_done, jobs_failed, deliveries_done, deliveries_failed)
     SELECT now() - n * interval '1 hour', gen_random_uuid(), 'api', 0, 0, 0, 0, 0, 0, 0, 0 FROM ${n}`,
  ];
}
