import { Documents } from '../../../src/modules/web/pages/help/documents.js';

const AT_ONCE = 20;
const PAGES = ['README', 'operations', 'security', 'configuration', 'install'];

/** Counts the turns of the event loop while it works. */
async function countTurns<T>(work: (turn: () => number) => Promise<T>): Promise<T> {
  let turn = 0;
  const count = (): NodeJS.Immediate => {
    turn += 1;
    return setImmediate(() => (next = count()));
  };
  let next = count();
  try {
    return await work(() => turn);
  } finally {
    clearImmediate(next);
  }
}

describe('the documents of the package', () => {
  let documents: Documents;

  beforeEach(() => {
    documents = new Documents();
  });

  it('are read once for searches at the same time', async () => {
    const lists = await Promise.all(
      Array.from({ length: AT_ONCE }, () => documents.listSections()),
    );
    expect(lists[0]?.length).toBeGreaterThan(500);
    expect(new Set(lists).size).toBe(1);
  });

  it('are searched for one request in a turn of the event loop', async () => {
    await documents.listSections();
    const turns = await countTurns((turn) =>
      Promise.all(Array.from({ length: AT_ONCE }, () => documents.search('the').then(turn))),
    );
    expect(new Set(turns).size).toBe(AT_ONCE);
  });

  it('are rendered once, and one of them in a turn of the event loop', async () => {
    const names = PAGES.map((name) => `docs/${name}.md`);
    const rendered = await countTurns((turn) =>
      Promise.all(
        [...names, ...names].map(async (name) => {
          const page = await documents.render(name, '');
          return { page, turn: turn() };
        }),
      ),
    );
    const first = rendered.slice(0, PAGES.length);
    expect(new Set(first.map(({ turn }) => turn)).size).toBe(PAGES.length);
    expect(new Set(rendered.map(({ page }) => page)).size).toBe(PAGES.length);
  });
});
