import { BatchedReads, type EntityColumns } from '../../../platform/database/index.js';
import type { Subject } from '../../authorization/index.js';
import type { IssuableType } from '../model/issuable.js';
import { askedRows } from './issuable-relations.sql.js';
import type {
  IssuableRelations,
  SelectedColumns,
  WithRelations,
} from './issuable-relations.repository.js';

interface Question {
  readonly projectId: number;
  readonly id: number;
  readonly readerId: number | null;
}

type AskedRow<Row> = Row & SelectedColumns & { readonly position: number };

type Found<Row> = WithRelations<Row & SelectedColumns>;

/** Reads single issues or merge requests with their relations. Requests that come together share one statement. */
export class IssuableReads<Row extends object> {
  private readonly reads: BatchedReads<Question, Found<Row> | null>;

  /**
   * @param columns those of a row that hold times
   * @param list the columns of a row `t`, its project `p` and its namespace `n`
   */
  constructor(
    relations: IssuableRelations,
    type: IssuableType,
    columns: Pick<EntityColumns<object>, 'revive'>,
    list: string,
  ) {
    const sql = askedRows(type, list);
    this.reads = new BatchedReads<Question, Found<Row> | null>({
      key: ({ projectId, id, readerId }) => [projectId, id, readerId].join(' '),
      answer: async (questions) => {
        const parameters = [
          questions.map(({ projectId }) => projectId),
          questions.map(({ id }) => id),
          questions.map(({ readerId }) => readerId),
        ];
        const selected = await relations.select<AskedRow<Row>>(type, { sql, parameters }, columns);
        const found = new Map(
          selected.rows.flatMap(({ row, relations: embedded }) =>
            embedded === null ? [] : [[row.position, { issuable: row, ...embedded }] as const],
          ),
        );
        return questions.map((_, index) => found.get(index + 1) ?? null);
      },
    });
  }

  /**
   * Finds one in a project.
   * @returns null if it is not in the project, or is deleted
   */
  find(projectId: number, id: number, reader: Subject): Promise<Found<Row> | null> {
    return this.reads.ask({ projectId, id, readerId: reader?.id ?? null });
  }
}
