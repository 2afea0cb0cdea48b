import { BatchedReads, type EntityColumns } from '../../../platform/database/index.js';
import type { Subject } from '../../authorization/index.js';
import type { IssuableKey, IssuableType } from '../model/issuable.js';
import { askedRows } from './issuable-relations.sql.js';
import type {
  IssuableRelations,
  SelectedColumns,
  WithRelations,
} from './issuable-relations.repository.js';

interface Question {
  readonly projectId: number;
  /** An ID or a number. */
  readonly key: number;
  readonly readerId: number | null;
}

type AskedRow<Row> = Row & SelectedColumns & { readonly position: number };

type Found<Row> = WithRelations<Row & SelectedColumns>;

type Reads<Row> = BatchedReads<Question, Found<Row> | null>;

/** Reads single issues or merge requests with their relations. Requests that come together share one statement. */
export class IssuableReads<Row extends object> {
  private readonly byId: Reads<Row>;
  private readonly byNumber: Reads<Row>;

  /**
   * @param columns those of a row that hold times
   * @param list the columns of a row `t`, its project `p` and its namespace `n`
   */
  constructor(
    private readonly relations: IssuableRelations,
    private readonly type: IssuableType,
    private readonly columns: Pick<EntityColumns<object>, 'revive'>,
    list: string,
  ) {
    this.byId = this.readsOf(askedRows(type, 'id', list));
    this.byNumber = this.readsOf(askedRows(type, 'iid', list));
  }

  /**
   * Finds one in a project.
   * @returns null if it is not in the project, or is deleted
   */
  find(projectId: number, key: IssuableKey, reader: Subject): Promise<Found<Row> | null> {
    const readerId = reader?.id ?? null;
    return typeof key === 'number'
      ? this.byId.ask({ projectId, key, readerId })
      : this.byNumber.ask({ projectId, key: key.iid, readerId });
  }

  private readsOf(sql: string): Reads<Row> {
    return new BatchedReads<Question, Found<Row> | null>({
      key: ({ projectId, key, readerId }) => [projectId, key, readerId].join(' '),
      answer: async (questions) => {
        const parameters = [
          questions.map(({ projectId }) => projectId),
          questions.map(({ key }) => key),
          questions.map(({ readerId }) => readerId),
        ];
        const { rows } = await this.relations.select<AskedRow<Row>>(
          this.type,
          { sql, parameters },
          this.columns,
        );
        const found = new Map(
          rows.flatMap(({ row, relations: embedded }) =>
            embedded === null ? [] : [[row.position, { issuable: row, ...embedded }] as const],
          ),
        );
        return questions.map((_, index) => found.get(index + 1) ?? null);
      },
    });
  }
}
