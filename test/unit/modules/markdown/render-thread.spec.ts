import { RenderThread } from '../../../../src/modules/markdown/threads/render-thread.js';

const TIME_MS = 60_000;
/** Takes a minute. */
const ENDLESS = '!['.repeat(500_000);

const jobOf = (...texts: string[]) => ({
  texts,
  context: { externalUrl: 'https://git.example.com', isFlavored: true, project: null },
});
const paragraph = (text: string) => ({ pieces: [`<p dir="auto">${text}</p>\n`], references: [] });

describe('a thread that renders texts', () => {
  let thread: RenderThread;

  beforeEach(() => {
    thread = new RenderThread();
  });
  afterEach(() => thread.end());

  it('renders the texts of its jobs in order', async () => {
    expect(await thread.render(jobOf('a', 'b'), TIME_MS)).toEqual([paragraph('a'), paragraph('b')]);
    expect(await thread.render(jobOf('c'), TIME_MS)).toEqual([paragraph('c')]);
  });

  it('is ended by a text that takes too long, and renders the next job', async () => {
    await thread.render(jobOf('a'), TIME_MS);
    expect(await thread.render(jobOf('a', ENDLESS, 'b'), 500)).toEqual([paragraph('a')]);
    expect(await thread.render(jobOf('c'), TIME_MS)).toEqual([paragraph('c')]);
  });

  it('gives back nothing of a text whose HTML is too long, and renders the others', async () => {
    const long = '"'.repeat(1_000_000);
    expect(await thread.render(jobOf(long, 'b'), TIME_MS)).toEqual([null, paragraph('b')]);
  });

  it('finishes its job when it is ended by others', async () => {
    await thread.render(jobOf('a'), TIME_MS);
    const rendered = thread.render(jobOf(ENDLESS), TIME_MS);
    await thread.end();
    expect(await rendered).toEqual([]);
  });
});
