import { Injectable } from '@nestjs/common';
import { Config, Urls } from '../../platform/config/index.js';
import type { SlotCaller } from '../../platform/limits/index.js';
import {
  keyOf,
  type ReferenceLink,
  ReferenceLinks,
  type TextReader,
} from './links/reference-links.js';
import {
  escapeHtml,
  escapeLongText,
  type PlacedReference,
  type RenderedText,
} from './rendering/rendered-text.js';
import { RenderThreads } from './threads/render-threads.js';

/** Who reads texts, and how they are rendered. */
export interface RenderOptions extends TextReader {
  readonly client: SlotCaller;
  /** Whether references, emoji and task lists are shown as such. */
  readonly isFlavored: boolean;
}

/**
 * Renders texts of users as HTML that is safe in any page (docs/reference/v4-markdown.md). References are links for those who
 * may follow them. A text that takes too long, or too much memory, is shown as it is written.
 */
@Injectable()
export class MarkdownRenderer {
  constructor(
    private readonly threads: RenderThreads,
    private readonly links: ReferenceLinks,
    private readonly urls: Urls,
    private readonly config: Config,
  ) {}

  /** @throws SlotsTakenError when no thread is free for ten seconds */
  async render(text: string, options: RenderOptions): Promise<string> {
    const [html = ''] = await this.renderEach([text], options);
    return html;
  }

  /**
   * Renders the texts of a page, together within the limits of one text.
   * @throws SlotsTakenError when no thread is free for ten seconds
   */
  async renderEach(texts: readonly string[], options: RenderOptions): Promise<string[]> {
    const project = options.home?.project;
    const context = {
      externalUrl: this.config.http.externalUrl,
      isFlavored: options.isFlavored,
      project: project
        ? {
            address: this.urls.project(`${project.namespacePath}/${project.path}`),
            branch: project.defaultBranch,
          }
        : null,
    };
    const rendered = await this.threads.render({ texts, context }, options.client);
    const references = rendered.flatMap((one) => one?.references ?? []);
    const links = await this.links.find(references, options);
    return rendered.map((one, index) =>
      one === null ? asWritten(texts[index] ?? '') : withLinks(one, links),
    );
  }
}

const asWritten = (text: string): string => `<pre>${escapeLongText(text)}</pre>`;

function withLinks(
  { pieces, references }: RenderedText,
  links: ReadonlyMap<string, ReferenceLink>,
): string {
  return pieces
    .flatMap((piece, index) => {
      const reference = references[index];
      return reference === undefined ? [piece] : [piece, linkOf(reference, links)];
    })
    .join('');
}

function linkOf(reference: PlacedReference, links: ReadonlyMap<string, ReferenceLink>): string {
  const link = links.get(keyOf(reference));
  if (link === undefined) return reference.plain;
  const { href, type, title, short } = link;
  const attributes = [
    `href="${escapeHtml(href)}"`,
    `title="${escapeHtml(title)}"`,
    `class="gfm gfm-${type}"`,
    `data-reference-type="${type}"`,
  ];
  const content = reference.isUrl ? escapeHtml(short) : reference.plain;
  return `<a ${attributes.join(' ')}>${content}</a>`;
}
