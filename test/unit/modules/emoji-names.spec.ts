import { EmojiNames } from '../../../src/modules/issuables/awards/awards.service.js';

describe('EmojiNames', () => {
  const emoji = new EmojiNames();

  it.each([
    ['thumbsup', 'thumbsup'],
    ['+1', 'thumbsup'],
    ['thumbsdown', 'thumbsdown'],
    ['-1', 'thumbsdown'],
    ['tada', 'tada'],
    ['heart', 'heart'],
    ['100', '100'],
    ['white_check_mark', 'white_check_mark'],
    ['satisfied', 'laughing'],
    ['thumbsup_tone1', 'thumbsup_tone1'],
    ['poop', 'poop'],
    ['hankey', 'poop'],
    ['flag_de', 'flag_de'],
    ['de', 'flag_de'],
    ['face_with_monocle', 'face_with_monocle'],
  ])('knows %s as %s', (name, canonical) => {
    expect(emoji.find(name)).toBe(canonical);
  });

  it.each(['', 'no_emoji', ':tada:', 'Tada', ' tada', '👍', 'constructor', '__proto__'])(
    'knows no emoji called %j',
    (name) => {
      expect(emoji.find(name)).toBeNull();
    },
  );

  it.each([
    [':tada:', 'tada'],
    [' \n:+1:\t', 'thumbsup'],
    [':-1:', 'thumbsdown'],
  ])('reads %j as one emoji', (text, name) => {
    expect(emoji.ofText(text)).toBe(name);
  });

  it.each([
    '',
    ':',
    '::',
    'tada',
    ':tada',
    ':no_emoji:',
    ':tada: :tada:',
    ':tada::tada:',
    'x:tada:',
    '👍',
  ])('reads %j as a text', (text) => {
    expect(emoji.ofText(text)).toBeNull();
  });
});
