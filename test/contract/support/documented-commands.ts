import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A fenced block of shell commands. */
export interface CommandBlock {
  readonly page: string;
  /** Of the fence. */
  readonly line: number;
  readonly code: string;
  /** Why the block is not run, from the comment above it. */
  readonly excuse: string | undefined;
  /** The suite that runs it, from the comment above it. */
  readonly runBy: string | undefined;
  /** What the page shows as the output, from the `text` block below it; `…` stands for anything. */
  readonly output: string | undefined;
}

const BLOCK =
  /(?:^<!-- (not run|run by): ([^>]*?) -->\n\n)?^```sh\n([\s\S]*?)^```\n(?:(?:(?!^```)[\s\S])*?^```text\n([\s\S]*?)^```)?/gm;

const read = (page: string): string => readFileSync(path.resolve(page), 'utf8');

export function blocksOf(page: string): CommandBlock[] {
  const text = read(page);
  return [...text.matchAll(BLOCK)].map((match) => {
    const [whole, kind, comment, code = '', output] = match;
    const before = text.slice(0, match.index + whole.indexOf('```sh'));
    return {
      ...{ page, line: before.split('\n').length, code, output },
      excuse: kind === 'not run' ? comment : undefined,
      runBy: kind === 'run by' ? comment : undefined,
    };
  });
}

/** How many blocks a page has, however they are marked. */
export const countFences = (page: string): number => [...read(page).matchAll(/^```sh$/gm)].length;

/** README and all pages below docs/. */
export function documentedPages(): string[] {
  const pages = readdirSync(path.resolve('docs'), { recursive: true })
    .map((name) => path.posix.join('docs', String(name)))
    .filter((name) => name.endsWith('.md'));
  return ['README.md', ...pages.sort()];
}

/** Whether what was printed is what the page shows, line by line. */
export function isAsShown(printed: string, shown: string): boolean {
  const pattern = shown
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`, 'm').test(printed);
}
