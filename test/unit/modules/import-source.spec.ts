import { parseImportUrl } from '../../../src/modules/projects/lifecycle/imports/import-source.js';

describe('addresses to import from', () => {
  it.each([
    ['http://example.com/a/b.git', 'http://example.com/a/b.git', 'example.com', null],
    [' HTTPS://Example.COM.:8443/x ', 'https://example.com:8443/x', 'example.com', null],
    ['https://example.com:443/x', 'https://example.com/x', 'example.com', null],
    ['git://example.com/x', 'git://example.com/x', 'example.com', null],
    ['git://0x7f.1:9418/x', 'git://127.0.0.1:9418/x', '127.0.0.1', null],
    ['git://exa%6dple.com/x', 'git://example.com/x', 'example.com', null],
    ['ssh://[2001:DB8::1]:2222/x', 'ssh://[2001:db8::1]:2222/x', '[2001:db8::1]', null],
    ['http://bücher.example/x', 'http://xn--bcher-kva.example/x', 'xn--bcher-kva.example', null],
    ['http://h.example/a%20b/ü', 'http://h.example/a%20b/%C3%BC', 'h.example', null],
    [
      'https://zo%C3%AB:p%40ss%3Aw%2F@h.example/x',
      'https://h.example/x',
      'h.example',
      { user: 'zoë', password: 'p@ss:w/' },
    ],
    [
      'https://token@h.example/x',
      'https://h.example/x',
      'h.example',
      { user: 'token', password: '' },
    ],
    ['https://:pw@h.example/x', 'https://h.example/x', 'h.example', { user: '', password: 'pw' }],
    [
      'ssh://git@h.example/~me/x',
      'ssh://h.example/~me/x',
      'h.example',
      { user: 'git', password: '' },
    ],
  ])('reads %s', (text, address, host, credentials) => {
    expect(parseImportUrl(text)).toEqual({ address, host, credentials });
  });

  it.each([
    ...['', ' ', 'x', '/etc/passwd', 'file:///etc/passwd', 'ftp://h.example/x', 'ext::sh -c true'],
    ...['git@h.example:a/b.git', 'http:/h.example/x', 'http://', 'http:///x', 'http://h.example'],
    ...[
      'http://h.example/',
      'http://h.example//',
      'http://h.example:0/x',
      'http://h.example:99999/x',
    ],
    ...['http://h.example/x?private_token=a', 'http://h.example/x#y', 'http://h.example\\x/y'],
    ...[
      'http://a b/x',
      'http://h.example/a b',
      'http://h.example/x\n',
      'http://h.example/%0a',
      'a\0b',
    ],
    ...[
      'http://h.example/%zz',
      'http://h.example/%ff',
      'git://me:pw@h.example/x',
      'http://a%3Ab:c@h.example/x',
    ],
    ...['http://u%0d%0aX:y@h.example/x', 'ssh://-oProxyCommand=true/x', 'ssh://-oX@h.example/x'],
    ...[
      'ssh://a%20b@h.example/x',
      'git://-x/y',
      'git://a%20b/x',
      'git://a%2fb/x',
      'http://a..b$/x',
    ],
    `http://h.example/${'x'.repeat(3000)}`,
  ])('refuses %j', (text) => {
    expect(parseImportUrl(text.endsWith('\n') ? `${text}x` : text)).toBeNull();
  });
});
