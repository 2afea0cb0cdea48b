import { Injectable } from '@nestjs/common';
import { runPaced } from '../../../platform/async/index.js';
import { Config } from '../../../platform/config/index.js';
import { isQuickActionName, type QuickAction } from '../model/quick-actions.js';
import { readDocument } from './markdown/markdown-text.js';
import { REFERENCE_CHARACTERS_PER_TEXT } from './parse-references.js';

/** The most quick actions of one text. */
export const ACTIONS_PER_TEXT = 50;

/** Texts of up to so many characters are read without waiting for the steps of longer ones. */
const CHARACTERS_AT_ONCE = 5_000;

/** A text without its quick actions. */
export interface TextWithActions {
  readonly text: string;
  /** In the order of their lines. */
  readonly actions: readonly QuickAction[];
}

const COMMAND = /^\/([a-z_]{1,20})(?:[ \t]([^\n\r]*))?$/i;
/** What the line of any quick action contains; texts without it are not parsed. */
const BEGINNING = /(?:^|[\r\n])\/[a-z]/i;
const LINE_END = /\r\n?|\n|$/g;
/** Lines that may be quick actions, in any context. */
const COMMAND_LINES = new RegExp(COMMAND.source, 'gim');
const NO_LINES: ReadonlySet<string> = new Set();

/** A line of a text. */
interface CommandLine {
  readonly action: QuickAction;
  readonly start: number;
  /** Behind the end of the line. */
  readonly end: number;
}

/**
 * Takes the lines of quick actions out of a Markdown text: `/close`, `/label ~bug`. They stand at the beginning of a line, outside
 * of code, comments, HTML, tables and quotes. The first `REFERENCE_CHARACTERS_PER_TEXT` characters are read; the cost is linear in
 * their number.
 * @param kept lines that stay text, by `keyOf`
 */
export function parseQuickActions(text: string, kept = NO_LINES): TextWithActions {
  const source = text.slice(0, REFERENCE_CHARACTERS_PER_TEXT);
  if (!BEGINNING.test(source)) return { text, actions: [] };
  const lines = findCommands(source)
    .filter(({ action }) => !kept.has(keyOf(action)))
    .slice(0, ACTIONS_PER_TEXT);
  if (lines.length === 0) return { text, actions: [] };
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of lines) {
    pieces.push(text.slice(done, start));
    done = end;
  }
  pieces.push(text.slice(done));
  const rest = pieces.join('').replace(/^[ \t\r\n]*[\r\n]/, '');
  return { text: rest.trimEnd(), actions: lines.map(({ action }) => action) };
}

/** Returns the same for actions that are written alike. */
const keyOf = ({ name, argument }: { name: string; argument: string }): string =>
  `${name.toLowerCase()} ${argument.trim()}`;

/** Returns the lines of a text that look like quick actions, by `keyOf`. */
const commandLinesOf = (text: string): ReadonlySet<string> =>
  new Set(
    Array.from(text.matchAll(COMMAND_LINES), ([, name = '', argument = '']) =>
      keyOf({ name, argument }),
    ),
  );

/** Finds the lines of quick actions, in their order. */
function findCommands(source: string): CommandLine[] {
  const { blocks, quoteMarks } = readDocument(source);
  const isQuoted = quotedBy(quoteMarks);
  return blocks
    .filter((block) => !block.isHtml && !block.isCell && !block.isQuoted)
    .flatMap((block) => {
      const { text } = block;
      const found: CommandLine[] = [];
      for (let at = 0; at >= 0 && at < text.length; at = nextLine(text, at)) {
        const line = text[at] === '/' ? commandAt(source, block.locate(at)) : null;
        if (line !== null && !isQuoted(line.start)) found.push(line);
      }
      return found;
    });
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? -1 : end + 1;
}

/** Reads the line of the source that begins at an offset; null if none begins there, or it is no quick action. */
function commandAt(source: string, start: number): CommandLine | null {
  const before = source[start - 1];
  if (before !== undefined && before !== '\n' && before !== '\r') return null;
  LINE_END.lastIndex = start;
  const { 0: lineEnd = '', index = source.length } = LINE_END.exec(source) ?? {};
  const [, word = '', argument = ''] = COMMAND.exec(source.slice(start, index)) ?? [];
  const name = word.toLowerCase();
  if (!isQuickActionName(name)) return null;
  return { action: { name, argument: argument.trim() }, start, end: index + lineEnd.length };
}

/** Returns whether an offset stands between two marks, of which the first begins a quote and the second ends it. */
function quotedBy(marks: readonly number[]): (offset: number) => boolean {
  let index = 0;
  return (offset) => {
    while (index < marks.length && (marks[index] ?? 0) < offset) index += 1;
    return index % 2 === 1 && index < marks.length;
  };
}

/** Reads the quick actions of texts, unless the instance has them switched off (docs/reference/quick-actions.md). */
@Injectable()
export class QuickActionReader {
  constructor(private readonly config: Config) {}

  /** Takes the quick actions out of a text. Long texts are parsed in a paced step. */
  async read(text: string): Promise<TextWithActions> {
    if (!this.config.quickActions || !BEGINNING.test(text)) return { text, actions: [] };
    if (text.length <= CHARACTERS_AT_ONCE) return parseQuickActions(text);
    return runPaced(() => parseQuickActions(text));
  }

  /**
   * Takes the quick actions out of a text that replaces another one. Lines that were in that already stay text: it may be older than
   * quick actions, imported, or by a user with fewer rights.
   * @param read what `read` has returned for the text
   */
  async readChange(text: string, read: TextWithActions, before: string): Promise<TextWithActions> {
    if (read.actions.length === 0 || !BEGINNING.test(before)) return read;
    const kept = commandLinesOf(before);
    if (!read.actions.some((action) => kept.has(keyOf(action)))) return read;
    return runPaced(() => parseQuickActions(text, kept));
  }
}
