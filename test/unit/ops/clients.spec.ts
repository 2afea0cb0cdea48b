import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { evaluate, ROOT } from './script-modules.js';

interface Client {
  readonly name: string;
  readonly version: string;
  readonly packages: Readonly<Record<string, string>>;
}

const FILE = 'test/clients/clients.mjs';

/** The rows of the table that begins with this head. */
async function tableOf(page: string, head: string): Promise<string[][]> {
  const text = await readFile(path.join(ROOT, page), 'utf8');
  const lines = text.split('\n');
  const first = lines.findIndex((line) => cellsOf(line)[0] === head);
  const rows = lines.slice(first + 2);
  return rows.slice(0, rows.indexOf('')).map(cellsOf);
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

describe('The campaign of clients', () => {
  it('has the versions, figures and reasons that the documentation shows', async () => {
    const rows = await evaluate(FILE, 'module.CLIENTS.map(module.rowOf)');
    expect(await tableOf('docs/clients.md', 'Client')).toEqual(rows);
  });

  it('installs the versions that it shows', async () => {
    const clients = (await evaluate(FILE, 'module.CLIENTS')) as Client[];
    for (const { version, packages } of clients) {
      const [shown = ''] = version.split(' ');
      expect(Object.values(packages)[0]).toMatch(
        new RegExp(`^(?:1:)?${shown.replaceAll('.', '\\.')}(?:-|$)`),
      );
    }
  });
});
