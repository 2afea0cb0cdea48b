/**
 * An array parameter that the planner does not look into. A prepared statement is planned anew on every
 * run as long as a plan for the very values seems cheaper than one for any; for arrays of one element it
 * always seems so, and planning a statement of many parts takes ten times as long as running it.
 *
 * @param parameter `$1` and so on
 * @param type of its elements
 */
export const opaqueArray = (parameter: string, type: string): string =>
  `(SELECT ${parameter}::${type}[])::${type}[]`;
