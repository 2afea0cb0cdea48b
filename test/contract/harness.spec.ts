import { readdir, readFile } from 'node:fs/promises';
import { Receiver } from '../support/receiver.js';
import { evaluate } from '../unit/ops/script-modules.js';

describe('the receiver of the harness', () => {
  it('keeps what it is sent, and answers as it is told', async () => {
    const receiver = await Receiver.start(202);
    try {
      const send = (body: string) =>
        fetch(`${receiver.url}/hook?x=1`, { method: 'POST', headers: { 'X-Kind': 'test' }, body });
      const answers = await Promise.all([send('one'), send('two')]);
      expect(answers.map(({ status }) => status)).toEqual([202, 202]);
      const deliveries = await receiver.received(2);
      expect(deliveries.map(({ body }) => body).sort()).toEqual(['one', 'two']);
      expect(deliveries[0]).toMatchObject({ method: 'POST', path: '/hook?x=1' });
      expect(deliveries[0]?.headers['x-kind']).toBe('test');
    } finally {
      await receiver.stop();
    }
  });
});

interface Fault {
  rule: string;
  find: string;
  file?: string;
}

describe('the faults that the tests have to find', () => {
  it('stand for code that is there, once', async () => {
    const names = await readdir('src', { recursive: true });
    const sources = await Promise.all(
      names
        .filter((name) => name.endsWith('.ts'))
        .map(async (name) => ({ name, text: await readFile(`src/${name}`, 'utf8') })),
    );
    const faults = (await evaluate('test/mutation/faults.mjs', 'module.FAULTS')) as Fault[];
    const counts = faults.map(({ rule, find, file = '' }) => {
      const texts = sources.filter(({ name }) => name.endsWith(file)).map(({ text }) => text);
      return [rule, texts.reduce((sum, text) => sum + text.split(find).length - 1, 0)] as const;
    });
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
  });
});
