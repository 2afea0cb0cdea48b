/** Inserts events in the order of the parameters, and updates `last_activity_at` of their projects. */
export const RECORD = `
  WITH recorded AS (
    INSERT INTO events (project_id, author_id, action, data, target_type, target_id)
    SELECT project_id, author_id, action, data::jsonb, target_type, target_id
      FROM unnest($1::int[], $2::int[], $3::varchar[], $4::text[], $5::varchar[], $6::int[])
             WITH ORDINALITY
             AS done (project_id, author_id, action, data, target_type, target_id, position)
     ORDER BY position
    RETURNING project_id)
  UPDATE projects
     SET last_activity_at = greatest(last_activity_at, date_trunc('milliseconds', now()))
   WHERE id IN (SELECT project_id FROM recorded)`;
