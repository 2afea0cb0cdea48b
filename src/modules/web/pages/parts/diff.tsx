import type { VNode } from 'preact';
import type { DiffEntry } from '../../../../git/index.js';
import { Link, Scrollable } from '../../html/components.js';
import { CHARACTERS_PER_PAGE } from './text.js';

/** Changed files and lines that a page shows. */
const DIFF_OF_PAGE = { files: 200, lines: 3_000 };

/** The first lines of a patch, which the heading says. */
const FILE_NAMES = /^--- .*\n\+\+\+ .*\n/;

interface DiffProps {
  readonly diffs: readonly DiffEntry[];
  /** Where the whole text is: a path of this service. */
  readonly textPath: string;
  /** Whether there are more files than `diffs`. */
  readonly isCut?: boolean;
}

/** The changes of files, as far as a page shows them. */
export function Diff({ diffs, textPath, isCut = false }: DiffProps): VNode {
  const shown = shownFiles(diffs);
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">Changes</h2>
      <p>
        {diffs.length === 1 ? '1 file' : `${diffs.length}${isCut ? ' or more' : ''} files`} ·{' '}
        <Link to={`${textPath}.diff`}>as a diff</Link> ·{' '}
        <Link to={`${textPath}.patch`}>as a patch</Link>
      </p>
      {shown.map(({ diff, lines }) => (
        <File key={`${diff.oldPath} ${diff.newPath}`} diff={diff} lines={lines} />
      ))}
      {(isCut || shown.length < diffs.length) && (
        <p class="notice warn">
          There is more than this page shows. <Link to={`${textPath}.diff`}>The diff</Link> has all
          of it.
        </p>
      )}
    </section>
  );
}

interface ShownFile {
  readonly diff: DiffEntry;
  readonly lines: readonly string[];
}

function shownFiles(diffs: readonly DiffEntry[]): ShownFile[] {
  const shown: ShownFile[] = [];
  const left = { lines: DIFF_OF_PAGE.lines, characters: CHARACTERS_PER_PAGE };
  for (const diff of diffs.slice(0, DIFF_OF_PAGE.files)) {
    const lines = diff.text.replace(FILE_NAMES, '').trimEnd().split('\n');
    left.lines -= lines.length;
    left.characters -= diff.text.length;
    if (left.lines < 0 || left.characters < 0) break;
    shown.push({ diff, lines });
  }
  return shown;
}

function File({ diff, lines }: ShownFile): VNode {
  const { oldPath, newPath, change } = diff;
  const name = change === 'renamed' ? `${oldPath} → ${newPath}` : newPath;
  return (
    <article class="file">
      <h3>
        {name} {labelOf(diff)}
      </h3>
      {diff.text === '' ? (
        <p class="muted">No text to show: only name or mode differ, or the text is too long.</p>
      ) : (
        <Scrollable label={`Changes of ${newPath}`}>
          <code class="diff">
            {lines.map((line, index) => (
              <span key={index} class={`line ${classOf(line)}`}>
                {line}
                {'\n'}
              </span>
            ))}
          </code>
        </Scrollable>
      )}
    </article>
  );
}

function labelOf({ change }: DiffEntry): VNode | null {
  if (change === 'added') return <span class="badge good">new</span>;
  return change === 'deleted' ? <span class="badge bad">deleted</span> : null;
}

function classOf(line: string): string {
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.startsWith('@@') ? 'hunk' : '';
}
