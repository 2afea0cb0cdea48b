import type { VNode } from 'preact';
import { HELP_PREFIX } from '../../../../platform/http/index.js';
import { GetForm, Link } from '../../html/components.js';
import type { WebPage } from '../../html/page-sender.js';
import type { RenderedDocument } from './markdown.js';
import type { FoundSection, SearchResult } from './search.js';

/** With fewer chapters, a document needs no list of them. */
const LEAST_CHAPTERS = 3;

/** Folders of documents that have a first page. */
const FOLDERS: Readonly<Record<string, string>> = {
  reference: 'API reference',
  decisions: 'Decisions',
};

/** @param address of the document */
export const documentPage = (address: string, document: RenderedDocument): WebPage => ({
  title: address === HELP_PREFIX ? 'Help' : `${document.title} · Help`,
  content: <DocumentContent address={address} document={document} />,
});

export const searchPage = (query: string, result: SearchResult): WebPage => ({
  title: 'Search · Help',
  content: <SearchContent query={query} result={result} />,
});

function DocumentContent(props: {
  readonly address: string;
  readonly document: RenderedDocument;
}): VNode {
  const { address, document } = props;
  const hasChapters = document.chapters.length >= LEAST_CHAPTERS;
  return (
    <div class="help">
      <HelpHeader address={address} query="" />
      <div class={hasChapters ? 'with-chapters' : undefined}>
        {hasChapters && <Chapters of={document} />}
        <article dangerouslySetInnerHTML={{ __html: document.html }} />
      </div>
    </div>
  );
}

/** The way to the page, and the form that searches all of them. */
function HelpHeader({
  address,
  query,
}: {
  readonly address: string;
  readonly query: string;
}): VNode {
  const [folder = '', page] = address.slice(HELP_PREFIX.length + 1).split('/');
  const folderName = page === undefined ? undefined : FOLDERS[folder];
  return (
    <div class="help-header">
      <nav aria-label="Documents">
        <Link to={HELP_PREFIX} current={address === HELP_PREFIX}>
          Help
        </Link>
        {folderName !== undefined && (
          <>
            {' / '}
            <Link to={`${HELP_PREFIX}/${folder}`}>{folderName}</Link>
          </>
        )}
      </nav>
      <search>
        <GetForm action={`${HELP_PREFIX}/search`} class="inline">
          <input name="q" type="search" aria-label="Search the documents" value={query} required />
          <button type="submit">Search</button>
        </GetForm>
      </search>
    </div>
  );
}

function Chapters({ of: { chapters } }: { readonly of: RenderedDocument }): VNode {
  return (
    <nav class="chapters" aria-labelledby="chapters">
      <details open>
        <summary id="chapters">On this page</summary>
        <ul>
          {chapters.map(({ text, anchor }) => (
            <li key={anchor}>
              <a href={`#${anchor}`}>{text}</a>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
}

function SearchContent(props: { readonly query: string; readonly result: SearchResult }): VNode {
  const { query, result } = props;
  return (
    <div class="help">
      <HelpHeader address={`${HELP_PREFIX}/search`} query={query} />
      <h1>Search</h1>
      <p role="status">{summaryOf(query, result)}</p>
      <ul class="plain rows">
        {result.found.map((section) => (
          <Found key={section.address} section={section} />
        ))}
      </ul>
    </div>
  );
}

function summaryOf(query: string, { found, count }: SearchResult): string {
  if (query === '') return 'Enter words to search all documents for.';
  if (count === 0) return `No section has all words of “${query}”.`;
  if (count > found.length) {
    return `The first ${String(found.length)} of ${String(count)} sections that have all words of “${query}”:`;
  }
  return `Sections that have all words of “${query}”:`;
}

function Found({
  section: { title, address, excerpt },
}: {
  readonly section: FoundSection;
}): VNode {
  return (
    <li>
      <Link to={address}>{title}</Link>
      <br />
      <span class="muted">
        {excerpt.map(({ text, isMatch }, at) => (isMatch ? <mark key={at}>{text}</mark> : text))}
      </span>
    </li>
  );
}
