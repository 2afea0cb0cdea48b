import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { runPaced } from '../../../../platform/async/index.js';
import { packageRoot } from '../../../../platform/config/index.js';
import { pathOf } from './addresses.js';
import { renderDocument, type RenderedDocument } from './markdown.js';
import { search, type SearchResult, type HelpSection, sectionsOf } from './search.js';

/** Folders of the package that documents are in, or link to. */
const FOLDERS = ['docs', 'docker'];
/** The same of single files. */
const FILES = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', '.env.example'];
/** In this order their sections are found. */
const READING_ORDER = [/^docs\/[^/]+$/, /^docs\/reference\//, /^docs\/(?!decisions\/)/];

/**
 * The documents of the package, and the files that they link to. As parts of the program they do not change, so that what was
 * rendered is kept.
 */
@Injectable()
export class Documents {
  private readonly root = packageRoot();
  private readonly rendered = new Map<string, RenderedDocument>();
  private catalog: ReadonlyMap<string, string> | undefined;
  private sections: Promise<HelpSection[]> | undefined;

  /**
   * @param address a path below `/help`, or that path
   * @returns the name of what is read there, relative to the folder of package.json
   */
  find(address: string): string | undefined {
    this.catalog ??= this.list();
    return this.catalog.get(address);
  }

  /** @param name of a document that there is */
  async render(name: string, base: string): Promise<RenderedDocument> {
    return this.rendered.get(name) ?? runPaced(() => this.renderOnce(name, base));
  }

  /** The file of a name. */
  fileOf(name: string): string {
    return path.join(this.root, name);
  }

  /** Finds sections of the documents. Concurrent searches take their turns. */
  async search(query: string): Promise<SearchResult> {
    const sections = await this.listSections();
    return runPaced(() => search(sections, query));
  }

  /** The sections of all documents, in the order in which they are worth reading. */
  listSections(): Promise<HelpSection[]> {
    // Kept while they are being read: requests at the same time share one reading.
    this.sections ??= this.readSections().catch((error: unknown) => {
      this.sections = undefined;
      throw error;
    });
    return this.sections;
  }

  private renderOnce(name: string, base: string): RenderedDocument {
    const known = this.rendered.get(name);
    if (known !== undefined) return known;
    const document = renderDocument(name, this.read(name), base);
    this.rendered.set(name, document);
    return document;
  }

  private list(): Map<string, string> {
    const names = [...FOLDERS.flatMap((folder) => this.filesBelow(folder)), ...FILES];
    return new Map(names.map((name) => [pathOf(name), name]));
  }

  private filesBelow(folder: string): string[] {
    return readdirSync(this.fileOf(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.relative(this.root, path.join(parentPath, name)))
      .filter((name) => !name.startsWith('docs/.'));
  }

  private async readSections(): Promise<HelpSection[]> {
    this.catalog ??= this.list();
    const names = [...this.catalog.values()].filter((name) => name.endsWith('.md'));
    const sections: HelpSection[] = [];
    for (const name of names.sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))) {
      sections.push(...(await runPaced(() => sectionsOf(name, this.read(name)))));
    }
    return sections;
  }

  private read(name: string): string {
    return readFileSync(this.fileOf(name), 'utf8');
  }
}

function placeOf(name: string): number {
  const place = READING_ORDER.findIndex((pattern) => pattern.test(name));
  return place < 0 ? READING_ORDER.length : place;
}
