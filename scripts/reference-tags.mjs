// Sorts the operations of the interface documents by the pages of docs/reference.
import { readFile } from 'node:fs/promises';
import { inRoot } from './paths.mjs';
import { Problem } from './problem.mjs';

/** A row of the table of pages: a link to the page, and what it is about. */
const ROW = /^\| \[([^\]]+)\]\(([\w-]+\.md)\) *\| (.*?) *\|$/gm;
const ENDPOINT = /^### ((?:GET|POST|PUT|DELETE) \/\S*)$/gm;

const readPage = (name) => readFile(inRoot('docs', 'reference', name), 'utf8');

/** Headings leave out the prefix of this version: `GET /projects/:id`, but `GET /api/v4/version`. */
const UNNAMED_PREFIX = '/api/v3';

/** Lists the pages of the reference in their order, with the endpoints that they describe. */
async function readPages() {
  const rows = [...(await readPage('README.md')).matchAll(ROW)];
  return Promise.all(
    rows.map(async ([, name, file, about]) => {
      const endpoints = [...(await readPage(file)).matchAll(ENDPOINT)].map(([, title]) => title);
      return { name, about, endpoints };
    }),
  );
}

/**
 * Tags each operation with the title of the page that describes it. The tags are in the order of the reference.
 * @param prefix that of the paths of the document
 * @throws Problem for an operation that no page describes
 */
export async function tagByReference(document, prefix) {
  const pages = await readPages();
  const operations = Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route, method, operation })),
  );
  const titleOf = ({ route, method }) => {
    const path = (prefix === UNNAMED_PREFIX ? '' : prefix) + route.replace(/\{(\w+)\}/g, ':$1');
    return `${method.toUpperCase()} ${path}`;
  };
  const nameOf = new Map();
  for (const each of operations) {
    const page = pages.find(({ endpoints }) => endpoints.includes(titleOf(each)));
    if (page !== undefined) nameOf.set(each.operation.operationId, page.name);
  }
  for (const each of operations) {
    const { operation } = each;
    // Further paths of an endpoint are on its page, without a heading.
    const name = nameOf.get(operation.operationId.replace(/\.alias\d+$/, ''));
    if (name === undefined) {
      throw new Problem(
        `No page that docs/reference/README.md lists has the heading "### ${titleOf(each)}": describe the endpoint there first.`,
      );
    }
    operation.tags = [name];
  }
  const used = new Set(nameOf.values());
  document.tags = pages
    .filter(({ name }) => used.has(name))
    .map(({ name, about }) => ({ name, ...(about !== '' && { description: about }) }));
}
