import { readFile } from 'node:fs/promises';
import { Trellis } from '../../support/trellis.js';

describe('GET /version', () => {
  it('names the compatible version and its own to signed-in users', async () => {
    const trellis = await Trellis.shared();
    const person = await trellis.factories.user();
    const refused = await trellis.anonymous.get('/version').expect(401);
    expect(refused.body).toEqual({ message: '401 Unauthorized' });
    const answer = await trellis.as(person).get('/version').expect(200);
    const { version: revision } = JSON.parse(await readFile('package.json', 'utf8')) as {
      version: string;
    };
    expect(answer.body).toEqual({ version: '8.15.7', revision });
  });

  it('names the version that `API_COMPATIBILITY_VERSION` sets', async () => {
    const trellis = await Trellis.start({ env: { API_COMPATIBILITY_VERSION: '8.17.0' } });
    try {
      const person = await trellis.factories.user();
      const answer = await trellis.as(person).get('/version').expect(200);
      expect(answer.body).toMatchObject({ version: '8.17.0' });
    } finally {
      await trellis.stop();
    }
  });
});
