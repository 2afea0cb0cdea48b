import { linkedUploads, relinked } from '../../../../src/modules/issues/moves/issue-copier.js';

const SECRET = '0123456789abcdef'.repeat(2);
const LINK = `/uploads/${SECRET}/a-b.c_d+e.png`;

describe('links to uploads', () => {
  it('are found once each, anywhere in a text', () => {
    const texts = [`![x](${LINK}) ${LINK}`, `<img src="${LINK}">`, `${LINK}, ü/uploads/x`];
    expect(linkedUploads(texts)).toEqual([{ secret: SECRET, name: 'a-b.c_d+e.png' }]);
    expect(linkedUploads([`(/uploads/${SECRET}/日本.png)`])).toEqual([
      { secret: SECRET, name: '日本.png' },
    ]);
  });

  it.each([
    `https://example.com/group/project${LINK}`,
    '/uploads/0123/a.png',
    `/uploads/${SECRET.toUpperCase()}/a.png`,
    `/uploads/${SECRET}/`,
    `/uploads/${SECRET}//a.png`,
  ])('are not: %s', (text) => {
    expect(linkedUploads([text])).toEqual([]);
  });

  it('are replaced where a replacement is known', () => {
    const links = new Map([[LINK, '/uploads/new/a.png']]);
    const other = `/uploads/${'f'.repeat(32)}/other.png`;
    expect(relinked(`[a](${LINK}) [b](${other})`, links)).toBe(
      `[a](/uploads/new/a.png) [b](${other})`,
    );
  });
});
