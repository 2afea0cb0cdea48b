import {
  type Database,
  type EntityColumns,
  SharedReads,
} from '../../../platform/database/index.js';
import {
  describeInParts,
  Page,
  type PageRequest,
  plainRequest,
} from '../../../platform/pagination/index.js';
import type { Subject } from '../../authorization/index.js';
import type { IssuableType } from '../model/issuable.js';
import { descriptionsOf, type ListStatement } from './issuable-lists.sql.js';
import type {
  IssuableRelations,
  Selected,
  SelectedColumns,
  WithRelations,
} from './issuable-relations.repository.js';

type OfList = Pick<SelectedColumns, 'subscribed' | 'hasRelations'>;

/** A row of a list. Its description is null if it is to be loaded later. */
type Listed<Row> = Row &
  OfList & {
    /** Bytes of its description and of the description of its milestone. */
    textBytes: number;
  };

interface ListStatements<Question> {
  readonly type: IssuableType;
  /** Those of a row. */
  readonly columns: Pick<EntityColumns<object>, 'revive'>;
  /** Selects a page (`pageOfIssuables`), with the number of the list if that takes no other statement. */
  readonly page: (question: Question) => ListStatement & { readonly count?: string };
  /** Counts the rows of the list (`countOfIssuables`). */
  readonly count: (question: Question) => ListStatement;
}

/** Lists issues or merge requests with their relations. Concurrent requests for the same page share its statements. */
export class IssuableLists<
  Question extends { readonly request: PageRequest },
  Row extends Omit<SelectedColumns, keyof OfList>,
> {
  private readonly pages = new SharedReads<Question, Page<Selected<Listed<Row>>>>({
    key: (question) => JSON.stringify(question),
    answer: (question) => this.selectPage(question),
  });

  constructor(
    private readonly database: Database,
    private readonly relations: IssuableRelations,
    private readonly list: ListStatements<Question>,
  ) {}

  /** @param question with everything that distinguishes what readers see */
  async findPage(question: Question, reader: Subject): Promise<Page<WithRelations<Row>>> {
    const request = plainRequest(question.request);
    return describeInParts(
      await this.pages.ask({ ...question, request }),
      ({ row }) => row.textBytes,
      (part) =>
        this.relations.describe<Listed<Row>>(this.list.type, part, reader, (rows) =>
          this.withDescriptions(rows),
        ),
    );
  }

  private async selectPage(question: Question): Promise<Page<Selected<Listed<Row>>>> {
    const { type, columns } = this.list;
    const page = this.list.page(question);
    const [{ rows, count }, counted] = await Promise.all([
      this.relations.select<Listed<Row>>(type, page, columns),
      page.count === undefined ? this.count(question) : null,
    ]);
    return Page.cut(rows, counted ?? count, question.request);
  }

  private async count(question: Question): Promise<number> {
    const { sql, parameters } = this.list.count(question);
    const [row] = await this.database.rows<{ count: number }>(sql, [...parameters]);
    return row?.count ?? 0;
  }

  private async withDescriptions(rows: readonly Listed<Row>[]): Promise<Listed<Row>[]> {
    const lacking = rows.filter(({ description, textBytes }) => !description && textBytes > 0);
    if (lacking.length === 0) return [...rows];
    const loaded = await this.database.rows<{ id: number; description: string | null }>(
      descriptionsOf(this.list.type),
      [lacking.map(({ id }) => id)],
    );
    const byId = new Map(loaded.map((row) => [row.id, row]));
    return rows.map((row) => ({ ...row, ...byId.get(row.id) }));
  }
}
