import type { VNode } from 'preact';
import { CHARACTERS_PER_PAGE, DIFF_OF_PAGE } from '../../../../platform/limits/index.js';
import type { DiffView } from '../../../repository/index.js';
import { Link, Scrollable } from '../../html/components.js';

/** The first lines of a patch, which the heading says. */
const FILE_NAMES = /^--- .*\n\+\+\+ .*\n/;

interface DiffProps {
  readonly diffs: readonly DiffView[];
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
        <File key={`${diff.old_path} ${diff.new_path}`} diff={diff} lines={lines} />
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
  readonly diff: DiffView;
  readonly lines: readonly string[];
}

function shownFiles(diffs: readonly DiffView[]): ShownFile[] {
  const shown: ShownFile[] = [];
  const left = { lines: DIFF_OF_PAGE.lines, characters: CHARACTERS_PER_PAGE };
  for (const diff of diffs.slice(0, DIFF_OF_PAGE.files)) {
    const lines = diff.diff.replace(FILE_NAMES, '').trimEnd().split('\n');
    left.lines -= lines.length;
    left.characters -= diff.diff.length;
    if (left.lines < 0 || left.characters < 0) break;
    shown.push({ diff, lines });
  }
  return shown;
}

function File({ diff, lines }: ShownFile): VNode {
  const { old_path, new_path, renamed_file } = diff;
  const name = renamed_file ? `${old_path} → ${new_path}` : new_path;
  return (
    <article class="file">
      <h3>
        {name} {labelOf(diff)}
      </h3>
      {diff.diff === '' ? (
        <p class="muted">No text to show: only name or mode differ, or the text is too long.</p>
      ) : (
        <Scrollable label={`Changes of ${new_path}`}>
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

function labelOf({ new_file, deleted_file }: DiffView): VNode | null {
  if (new_file) return <span class="badge good">new</span>;
  return deleted_file ? <span class="badge bad">deleted</span> : null;
}

function classOf(line: string): string {
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.startsWith('@@') ? 'hunk' : '';
}
