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
}

/** A table that scrolls by itself where it is wider than the page. */
export function DataTable<Row>({ label, columns, rows, empty = 'None.' }: TableProps<Row>): VNode {
  if (rows.length === 0) return <p class="muted">{empty}</p>;
  const classOf = ({ isNumber = false }: Column<Row>) => (isNumber ? 'number' : undefined);
  return (
    <Scrollable label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column.title} class={classOf(column)}>
                  {column.cell(row)}
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
