import { Receiver } from '../support/receiver.js';

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
