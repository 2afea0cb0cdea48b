import { Injectable } from '@nestjs/common';
import { Database, plannedOnce } from '../../../platform/database/index.js';
import type { ProjectAccess } from '../../access/index.js';
import type { IssuableKind, IssuableType, Reach } from '../issuable.js';
import { IssuableKinds } from '../issuable-kinds.js';
import { hasTracker } from '../trackers.js';

/** How many issues, or merge requests, have a label. */
export interface LabelCount {
  readonly open: number;
  readonly closed: number;
}

interface Row extends LabelCount {
  labelId: number;
}

const NONE: LabelCount = { open: 0, closed: 0 };

@Injectable()
export class LabelCounts {
  constructor(
    private readonly database: Database,
    private readonly kinds: IssuableKinds,
  ) {}

  /**
   * What counts those of each label that the reader may read, with one statement for each kind.
   * @param labelIds of labels of the project of `access`, which is the reader's standing
   */
  async of(
    labelIds: readonly number[],
    access: ProjectAccess,
    readerId: number,
  ): Promise<(type: IssuableType, labelId: number) => LabelCount> {
    const counts = new Map<IssuableType, ReadonlyMap<number, LabelCount>>();
    for (const kind of this.kinds.all) {
      if (!hasTracker(access.project, kind.type)) continue;
      const { level, visible } = access;
      const parameters = [kind.type, [...labelIds], readerId, level, visible];
      const rows = await this.database.rows<Row>(countsOf(kind, kind.reach(access)), parameters);
      counts.set(kind.type, new Map(rows.map(({ labelId, ...count }) => [labelId, count])));
    }
    return (type, labelId) => counts.get(type)?.get(labelId) ?? NONE;
  }
}

/** Which links are counted without a look at what they lead to, which takes ten times as long. */
const SURE = { all: 'true', open: 'NOT link.confidential', nothing: 'false' } as const;

function countsOf(kind: IssuableKind, reach: Reach): string {
  const reader = { reader: '$3::int', level: '$4::int', visible: '$5::boolean' };
  // Most merge requests are merged in the end, and count for nothing.
  const links = `link.target_type = $1 AND link.label_id = ANY(${plannedOnce('$2', 'int')})
           AND link.state IN ('opened', 'reopened', 'closed')`;
  return `
    SELECT counted.label_id AS "labelId",
           count(*) FILTER (WHERE counted.state IN ('opened', 'reopened'))::int AS open,
           count(*) FILTER (WHERE counted.state = 'closed')::int AS closed
      FROM (
        SELECT link.label_id, link.state FROM label_links link WHERE ${links} AND ${SURE[reach]}
        UNION ALL
        SELECT link.label_id, link.state
          FROM label_links link JOIN ${kind.table} t ON t.id = link.target_id
         WHERE ${links} AND NOT ${SURE[reach]} AND ${kind.readable({ target: 't', ...reader })}
      ) counted
     GROUP BY counted.label_id`;
}
