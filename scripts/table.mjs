/**
 * Lays cells out in columns.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @param {{ figuresFrom?: number }} [options] the first column that is aligned to the right; none unless told
 */
export function table(head, rows, { figuresFrom = head.length } = {}) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const aligned = (cell, column) =>
    column < figuresFrom ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
  const lines = all.map((row) => row.map(aligned).join('  ').trimEnd());
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  return lines.join('\n');
}
