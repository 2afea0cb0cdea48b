import type { ComponentChildren, VNode } from 'preact';
import { Link, Scrollable } from '../../web/index.js';

export interface Column<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  /** Names the table for readers who do not see it. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** In place of a table without rows. */
  readonly empty?: string;
  /** Where there is little room, rows become cards unless the table is to be scrolled. */
  readonly isScrolled?: boolean;
}

/**
 * A table that scrolls by itself where it is wider than the page, or has cards in the place of rows there. The roles are those
 * that the elements have anyway: browsers drop them where the style sheet makes cards.
 */
export function DataTable<Row>(props: TableProps<Row>): VNode {
  const { label, columns, rows, empty = 'None.', isScrolled = false } = props;
  if (rows.length === 0) return <p class="muted">{empty}</p>;
  const classOf = ({ isNumber = false }: Column<Row>) => (isNumber ? 'number' : undefined);
  return (
    <Scrollable label={label}>
      <table role="table" class={isScrolled ? undefined : 'cards'}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.title} role="columnheader" scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, index) => (
            <tr key={index} role="row">
              {columns.map((column) => (
                <td
                  key={column.title}
                  role="cell"
                  class={classOf(column)}
                  data-title={column.title}
                >
                  <div>{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

interface PagerProps {
  /** Address of the newer page; undefined on the first. */
  readonly newer: string | undefined;
  /** Address of the older page; undefined on the last. */
  readonly older: string | undefined;
  readonly newerText?: string;
}

/** Links to the pages before and after. */
export function Pager({ newer, older, newerText = 'Newer' }: PagerProps): VNode | null {
  if (newer === undefined && older === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {newer !== undefined && <Link to={newer}>{newerText}</Link>}
      {older !== undefined && <Link to={older}>Older</Link>}
    </nav>
  );
}

/** The query string of an address, with its question mark; parameters without a value are left out. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? '' : `?${query.toString()}`;
}

/** A text in a block of its own, which scrolls if it is wide. */
export const TextBlock = ({ label, text }: { label: string; text: string }): VNode => (
  <pre tabindex={0} role="region" aria-label={label}>
    {text}
  </pre>
);
