import { Injectable } from '@nestjs/common';
import { Database, rowById } from '../../../platform/database/index.js';
import type { Reference } from '../../../platform/http/index.js';
import type { GroupAccess, GroupRef, Subject } from '../effective-access.js';
import {
  namespaceByPath,
  showsGroup,
  showsMembers,
  unexpired,
  visibilityOf,
  visibleLevels,
} from './memberships.sql.js';
import { Level } from '../permissions.js';

interface Row extends GroupRef {
  level: number;
  visible: boolean;
  membersVisible: boolean;
}

/** @param group the row of the group @param $1 the user or null @param $2 the visibility levels that the user sees */
const findStatement = (group: string): string => `
  SELECT n.id, n.name, n.path, ${visibilityOf('n')} AS visibility,
         coalesce((SELECT g.access_level FROM group_members g
                    WHERE g.group_id = n.id AND g.user_id = $1 AND ${unexpired('g.expires_at')}),
                  ${String(Level.VISITOR)}) AS level,
         ${showsGroup('n', '$1', '$2')} AS visible, ${showsMembers('n', '$1', '$2')} AS "membersVisible"
    FROM ${group} n
   WHERE n.owner_id IS NULL AND n.deleted_at IS NULL`;

const BY_ID = findStatement(rowById('namespaces', '$3'));
const BY_PATH = findStatement(namespaceByPath('$3'));

/** Resolves the access of a caller to a group. Reads tables of upper rooms by SQL only. */
@Injectable()
export class GroupAccessRepository {
  constructor(private readonly database: Database) {}

  /** Finds the access to a group, whether or not it is visible; null when there is no such group. */
  async find(subject: Subject, group: Reference): Promise<GroupAccess | null> {
    const [statement, value] = group.by === 'id' ? [BY_ID, group.id] : [BY_PATH, group.path];
    const [row] = await this.database.rows<Row>(statement, [
      subject?.id ?? null,
      visibleLevels(subject),
      value,
    ]);
    if (row === undefined) return null;
    const { level, visible, membersVisible, ...found } = row;
    const effective = subject?.admin === true ? Level.OWNER : level;
    // A share with a private group does not publish the group.
    const isShown = subject === null ? membersVisible : visible;
    return { group: found, level: effective, visible: isShown, membersVisible };
  }
}
