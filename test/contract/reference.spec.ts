import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FACES, V3 } from '../../src/faces/index.js';
import type { ApiFace } from '../../src/platform/http/index.js';
import { isAlias } from './support/operations.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

interface OpenApi {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An endpoint's entry: the text from its heading to the next heading of the same or a higher level. */
interface Entry {
  readonly page: string;
  readonly text: string;
}

const FOLDER = path.join('docs', 'reference');
/** Described once for all lists, in pagination.md. */
const PAGES = new Set(['page', 'per_page']);

const read = (name: string): string => readFileSync(path.join(process.cwd(), name), 'utf8');
const filesBelow = (folder: string, ending: RegExp): string[] =>
  readdirSync(path.join(process.cwd(), folder), { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((name) => ending.test(name) && !name.includes('node_modules'));

const documents = FACES.map((face) => ({
  face,
  document: JSON.parse(read(face.document)) as OpenApi,
}));
const pages = filesBelow(FOLDER, /\.md$/);

/** `GET /projects/:id/issues`, as headings spell it: those of other versions than 3 with their prefix. */
const titleOf = (face: ApiFace, method: string, route: string): string =>
  `${method.toUpperCase()} ${face === V3 ? '' : face.prefix}${route.replace(/\{(\w+)\}/g, ':$1')}`;

const operations = documents.flatMap(({ face, document }) =>
  Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      document,
      title: titleOf(face, method, route),
      method: method.toUpperCase(),
      // What the example of its entry calls it.
      address: `${face === V3 ? '$API' : `$API_${face.name.toUpperCase()}`}${route}`,
      operation,
      isAlias: isAlias(operation),
    })),
  ),
);

const entries = new Map<string, Entry[]>();
for (const page of pages) {
  for (const [, title = '', text = ''] of read(page).matchAll(
    /^### ((?:GET|POST|PUT|DELETE) \/\S*)\n([\s\S]*?)(?=^#{1,3} |(?![\s\S]))/gm,
  )) {
    entries.set(title, [...(entries.get(title) ?? []), { page, text }]);
  }
}

function parametersOf(document: OpenApi, { parameters = [], requestBody }: Operation): string[] {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const [body] = Object.values(requestBody?.content ?? {});
  const name = body?.schema.$ref?.split('/').at(-1) ?? '';
  const properties = document.components.schemas[name]?.properties ?? body?.schema.properties ?? {};
  return [
    ...new Set([...inQuery.map((parameter) => parameter.name), ...Object.keys(properties)]),
  ].filter((parameter) => !PAGES.has(parameter));
}

/** The anchor of a heading, as code hosts make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** The section of a page, to the next heading of any level; empty when there is none. */
function sectionOf(page: string, anchor: string): string {
  const sections = read(page).split(/^(?=#+ )/m);
  return sections.find((text) => anchorOf(/^#+ (.+)/.exec(text)?.[1] ?? '') === anchor) ?? '';
}

/**
 * The text of an entry with the sections whose parameters it takes: `the parameters of [POST /projects](#post-projects)`,
 * or a row `the [switches](#switches)`.
 */
function withTakenSections(page: string, text: string): string {
  const taken = text.matchAll(/(?:parameters of|^\| the)\s\[[^\]]+\]\(#([\w-]+)\)/gm);
  const sections = [...taken].map(([, anchor = '']) =>
    withTakenSections(page, sectionOf(page, anchor)),
  );
  return [text, ...sections].join('\n');
}

/** Whether a curl command of the entry calls the endpoint. */
function hasExample(text: string, method: string, address: string): boolean {
  const pattern = address
    .split(/\{\w+\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/?"\\s]+');
  const calls = new RegExp(`${pattern}(?:[?"]|$)`);
  const commands = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.replace(/\\\n\s*/g, ' ').split('\n'))
    .filter((line) => line.startsWith('curl '));
  return commands.some((command) => calls.test(command) && methodOf(command) === method);
}

function methodOf(command: string): string {
  const named = / -X (\w+)/.exec(command)?.[1];
  return named ?? (/ (?:-d|-F|--data\S*|--json) /.test(command) ? 'POST' : 'GET');
}

/** The lines of a source that are comments. */
const commentsOf = (source: string): string =>
  read(source)
    .split('\n')
    .filter((line) => /^\s*(?:\/\*|\*|\/\/|#)/.test(line))
    .join('\n');

/** The anchors that a page offers. */
const anchorsOf = (page: string): Set<string> =>
  new Set([...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));

describe('the reference', () => {
  it('orders the operations of the interface document by its pages', () => {
    const rows = read(path.join(FOLDER, 'README.md')).matchAll(/^\| \[(.+?)\]\((.+?)\)/gm);
    const titles = new Map(
      [...rows].map(([, title, file = '']) => [path.join(FOLDER, file), title]),
    );
    const tagged = operations.filter(({ isAlias }) => !isAlias);
    expect(tagged.map(({ title, operation }) => [title, operation.tags])).toEqual(
      tagged.map(({ title }) => [title, [titles.get(entries.get(title)?.[0]?.page ?? '')]]),
    );
    for (const { document } of documents) {
      const names = document.tags.map(({ name }) => name);
      expect(names).toEqual([...titles.values()].filter((title) => names.includes(title ?? '')));
      const used = operations.filter((each) => each.document === document);
      expect(new Set(used.flatMap(({ operation }) => operation.tags))).toEqual(new Set(names));
    }
  });

  it('has one entry, ### METHOD /path, for each endpoint', () => {
    const counts = operations
      .filter(({ isAlias }) => !isAlias)
      .map(({ title }) => [title, entries.get(title)?.length ?? 0]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
  });

  it('has no entry without an endpoint', () => {
    const titles = new Set(operations.map(({ title }) => title));
    expect([...entries.keys()].filter((title) => !titles.has(title))).toEqual([]);
  });

  it('names the aliases', () => {
    const texts = pages.map(read).join('\n');
    const missing = operations
      .filter(({ isAlias }) => isAlias)
      .filter(({ title }) => !texts.includes(`\`${title}\``));
    expect(missing.map(({ title }) => title)).toEqual([]);
  });

  it('names every parameter of an endpoint in its entry', () => {
    const missing = operations.flatMap(({ document, title, operation }) =>
      (entries.get(title) ?? []).flatMap(({ page, text }) => {
        const described = withTakenSections(page, text);
        return parametersOf(document, operation)
          .filter((parameter) => !described.includes(`\`${parameter}\``))
          .map((parameter) => `${page}: ### ${title} lacks \`${parameter}\``);
      }),
    );
    expect(missing).toEqual([]);
  });

  it('shows an example of each endpoint', () => {
    const missing = operations
      .filter(({ title, method, address }) =>
        (entries.get(title) ?? []).some(({ text }) => !hasExample(text, method, address)),
      )
      .map(({ title }) => title);
    expect(missing).toEqual([]);
  });
});

describe('citations', () => {
  const sources = ['src', 'test', 'bench', 'scripts', 'docker'].flatMap((folder) =>
    filesBelow(folder, /\.(?:ts|mjs|cjs|js|sh|yml)$/),
  );

  it('name existing documents and sections', () => {
    const broken = sources.flatMap((source) =>
      [...commentsOf(source).matchAll(/\bdocs\/[\w./-]+\.md(?:#([\w-]+))?/g)]
        .filter(([citation, anchor]) => {
          const page = citation.split('#')[0] ?? '';
          if (!existsSync(path.join(process.cwd(), page))) return true;
          return anchor !== undefined && !anchorsOf(page).has(anchor);
        })
        .map(([citation]) => `${source}: ${citation}`),
    );
    expect(broken).toEqual([]);
  });

  it('name only documents in this repository', () => {
    const elsewhere =
      /\b(?:open points?|specification(?: section)?) \d[\d.]*|\bbootstrap contract\b/gi;
    const found = sources.flatMap((source) =>
      // A citation may be broken over two lines of a comment.
      [
        ...read(source)
          .replace(/\s+(?:\*|\/\/|#)?\s*/g, ' ')
          .matchAll(elsewhere),
      ].map(([citation]) => `${source}: ${citation}`),
    );
    expect(found).toEqual([]);
  });
});
