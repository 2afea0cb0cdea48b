import { readdir, readFile } from 'node:fs/promises';
import { Config } from '../../src/platform/config/index.js';
import { Receiver } from '../support/receiver.js';
import { Trellis } from '../support/trellis.js';
import { evaluate } from '../unit/ops/script-modules.js';

describe('the receiver of the harness', () => {
  it('stores its requests, and returns the configured status', async () => {
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

describe('the shared service of the harness', () => {
  it('has other settings until they are restored', async () => {
    const trellis = await Trellis.shared({ settings: { EXTERNAL_URL: 'https://one.example' } });
    const config = trellis.app.get(Config);
    const values = () => [config.http.externalUrl, config.http.port, config.pushMaxBytes];
    const port = Number(new URL(trellis.url).port);
    expect(values()).toEqual(['https://one.example', port, 0]);
    await trellis.with({ PUSH_MAX_BYTES: '7' }, () => {
      expect(values()).toEqual(['https://one.example', port, 7]);
      return Promise.resolve();
    });
    expect(values()).toEqual(['https://one.example', port, 0]);
    await expect(Trellis.shared()).rejects.toThrow('has not restored');
    expect(values()).toEqual([trellis.url, port, 0]);
    expect(await Trellis.shared()).toBe(trellis);
  });
});

interface Fault {
  rule: string;
  find: string;
  file?: string;
  suites: string[];
}

describe('the faults that the tests have to find', () => {
  it('match existing code, once', async () => {
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

  it('are found by npm test, except those that only .ci/run finds', async () => {
    const expression = `(async () => {
      const { findSuites } = await import('./scripts/suites.mjs');
      const { withoutUntouched } = await import('./scripts/selection.mjs');
      const suites = withoutUntouched(await findSuites(), [], {}).map(({ path }) => path);
      const isFound = (fault) =>
        fault.suites.some((name) => suites.some((suite) => suite.includes(name)));
      return module.FAULTS.filter((fault) => !isFound(fault)).map(({ rule }) => rule);
    })()`;
    expect(await evaluate('test/mutation/faults.mjs', expression)).toEqual([
      'A merge that a kill interrupted is finished by its job',
      'Concurrent changes of an issue follow one another',
      'A change of a text that the pusher did not see is refused',
      'A process that has lost its lease announces no push',
      'A process that has lost its lease moves no ref that git has locked',
      'Nothing is taken over from a machine whose lease has not expired',
    ]);
  });
});
