import type { VNode } from 'preact';
import type { Page } from '../../../../platform/pagination/index.js';
import type { SummarizedUser } from '../../../users/index.js';
import { Link, Time } from '../../html/components.js';
import { Person } from './people.js';

export interface ShownNote {
  /** The anchor of addresses that name it. */
  readonly anchor?: string | undefined;
  readonly author: SummarizedUser;
  readonly createdAt: Date;
  readonly text: string;
  /** Whether the service wrote it. */
  readonly isSystem: boolean;
  /** What of the object it is about, such as a line. */
  readonly about?: string | undefined;
}

interface NotesProps {
  readonly notes: Page<ShownNote>;
  /** Of the page. */
  readonly path: string;
}

/** The notes on something, a page of them at a time. */
export function Notes({ notes, path }: NotesProps): VNode {
  const { items, page, hasNext, rest } = notes;
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes</h2>
      {items.length === 0 && <p class="muted">None.</p>}
      {items.map((note) => (
        <Note key={note.anchor} note={note} />
      ))}
      {rest !== null && <p class="muted">Some long notes are left out here; the API has them.</p>}
      {(page > 1 || hasNext) && (
        <nav aria-label="Pages of notes">
          {page > 1 && <Link to={`${path}?page=${page - 1}`}>Earlier notes</Link>}{' '}
          {hasNext && <Link to={`${path}?page=${page + 1}`}>Later notes</Link>}
        </nav>
      )}
    </section>
  );
}

function Note({ note }: { readonly note: ShownNote }): VNode {
  const { anchor, author, createdAt, text, isSystem, about } = note;
  return (
    <article class="card" id={anchor}>
      <header>
        <Person user={author} /> {isSystem ? '' : 'wrote '}
        <Time at={createdAt} />
        {about !== undefined && <> on {about}</>}
      </header>
      <div class={isSystem ? 'text muted' : 'text'}>{text}</div>
    </article>
  );
}
