import { opaqueArray, rowsByKey, rowsWhere } from '../../../platform/database/connections/index.js';
import type { Statements } from '../../../platform/database/index.js';
import type { UserDetails } from './user.entity.js';

const namespaceOf = (id: string): string => rowsWhere('namespaces', `owner_id = ${id}`);

/** Selects the columns of `UserDetails`. @param id of the account, as an expression */
export const selectDetails = (id: string): string => `
  SELECT (SELECT count(*)::int
            FROM ${namespaceOf(id)} n
           CROSS JOIN ${rowsByKey('projects', 'namespace_id', 'n.id', 'deleted_at IS NULL')} p
         ) AS "personalProjects",
         (SELECT n.id FROM ${namespaceOf(id)} n WHERE n.deleted_at IS NULL) AS "namespaceId",
         (SELECT coalesce(json_agg(json_build_object(
                   'provider', i.provider, 'externUid', i.extern_uid) ORDER BY i.provider), '[]')
            FROM identities i WHERE i.user_id = ${id}) AS identities`;

/** Reads the details of several accounts, in their order, with one statement. */
export const readUserDetails = (
  statements: Statements,
  ids: readonly number[],
): Promise<UserDetails[]> =>
  statements.rows<UserDetails>(
    `${selectDetails('q.id')}
       FROM unnest(${opaqueArray('$1', 'int')}) WITH ORDINALITY AS q (id, position)
      ORDER BY q.position`,
    [ids],
  );
