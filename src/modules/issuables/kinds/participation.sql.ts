/**
 * Expresses whether a user is a participant of an issue or merge request, and thereby subscribed unless they chose
 * otherwise (docs/reference/issues.md#subscriptions). Null or false for an anonymous reader.
 * @param target alias of the kind's table
 * @param type parameter that holds the kind
 * @param user parameter that holds a user's ID
 */
export const participates = (target: string, type: string, user: string): string => `
  (${target}.author_id = ${user} OR ${target}.assignee_id = ${user}
   OR EXISTS (SELECT 1 FROM notes n
               WHERE n.noteable_type = ${type} AND n.noteable_id = ${target}.id
                 AND n.author_id = ${user} AND NOT n.system)
   OR EXISTS (SELECT 1 FROM mentions m
               WHERE m.target_type = ${type} AND m.target_id = ${target}.id AND m.user_id = ${user})
   OR EXISTS (SELECT 1 FROM award_emoji a
               WHERE a.awardable_type = ${type} AND a.awardable_id = ${target}.id
                 AND a.user_id = ${user}))`;
