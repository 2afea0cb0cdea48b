/** Conditions on merge requests `m`, in the words of the indexes that serve them. */

export const OPEN = `m.state IN ('opened', 'reopened') AND m.deleted_at IS NULL`;

// The indexes hold hashes; the names tell apart what only shares those.

/** @param name a parameter or column with the name of a branch */
export const isBranch = (column: string, name: string): string =>
  `md5(${column}) = md5(${name}) AND ${column} = ${name}`;

/** @param names a parameter with names of branches */
export const isAmong = (column: string, names: string): string => `
  md5(${column}) = ANY(ARRAY(SELECT md5(name) FROM unnest(${names}::text[]) AS name))
  AND ${column} = ANY(${names}::text[])`;
