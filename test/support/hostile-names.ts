import { type Arbitrary, constantFrom, oneof, string, tuple } from 'fast-check';

/** Where what is executed or written by mistake can be found. */
export interface Canary {
  /** A file that nobody makes. */
  file: string;
  /** A part of every name that a payload could leave somewhere. */
  token: string;
}

/** Names of refs and files that mean harm to a shell, to git, or to whoever joins paths. */
function harmful({ file, token }: Canary): string[] {
  const command = `touch ${file}`;
  return [
    ...['-oProxyCommand=', '--upload-pack=', '--exec=', '--receive-pack='].map((o) => o + command),
    ...[
      `--output=${file}`,
      `-o${file}`,
      '--all',
      '--',
      '-',
      '-h',
      '--help',
      '--stdin',
      '--git-dir=.',
    ],
    ...[`$(${command})`, `\`${command}\``, `;${command};`, `|${command}`, `&&${command}&`],
    ...[`ext::sh -c ${command.replaceAll(' ', '% ')}`, `"; ${command} #`, `'; ${command} #`],
    ...[
      file,
      `../../../../../../../../..${file}`,
      `../${token}`,
      `../../${token}`,
      `a/../../${token}`,
    ],
    ...['..', '.', '../HEAD', '../../x', '/etc/passwd', `..\\..\\${token}`, '%2e%2e%2f', '/', '//'],
    ...['.git/config', '.GIT/hooks/pre-receive', 'git~1/config', '.git./x', '.g\u200cit/x', '.git'],
    ...['hooks/post-receive', 'config', 'HEAD', '.gitmodules', '.gitattributes', 'objects/info'],
    ...['HEAD@{1}', '@{-1}', '@', '@{upstream}', 'master^{tree}', 'master~1', 'master:dir/a.txt'],
    ...[':/One', '^master', 'a..b', 'master...topic', ':(glob)**', ':!dir', '*', '[a-z]', '?'],
    ...['refs/heads/a..b', 'refs/heads/master', 'refs/tags/../heads/master', 'heads/master'],
    ...[
      'master.lock',
      'master/below',
      'a.lock/b',
      'a//b',
      'a/.b',
      '/a',
      'a/',
      'dir',
      'dir/a.txt/b',
    ],
    ...['#end', 'flush', 'contents master', '0'.repeat(40), 'f'.repeat(40), 'abcd', 'dead'],
    ...['a\nb', 'a\r\nX-Evil: 1', 'a\tb', 'a\0b', '\u007f', '\u001b[2J', ' ', ' a', 'a ', ''],
    ...['"', "'", 'a\\b', '\\', '\\0', '\u202egnp.exe', '\u200b', '\ufeff', 'e\u0301', '\ud800'],
    ...['日本', '👩‍👩‍👧', 'Ünï cödé', 'x'.repeat(4000), 'ü'.repeat(2000), 'd/'.repeat(2000)],
    ...['__proto__', 'constructor', 'NaN', '1e9', 'null', '<script>', '%s%n', '#{x}', '{{x}}'],
  ];
}

/** What no client would write that knows how paths are written. */
const BAD_ESCAPES = [
  ...['%', '%zz', '%ff', '%c0%ae%c0%ae%2f', '%ed%a0%80', '%00', '%2500', '%u002e', '%f8%80'],
  ...['%2e%2e%2f', '%2e%2e', '..%2f..%2fx', '..%5c..%5cx', '%252e%252e%252f', '%0d%0aX-Evil:%201'],
];

/** What means harm, alone and with something beside it, and anything at all. */
export function hostileNames(canary: Canary): Arbitrary<string> {
  const known = constantFrom(...harmful(canary));
  return oneof(
    { weight: 6, arbitrary: known },
    { weight: 2, arbitrary: tuple(known, constantFrom('', '/', ' ', '.'), known).map(joined) },
    { weight: 1, arbitrary: tuple(known, string({ unit: 'grapheme', maxLength: 8 })).map(joined) },
    { weight: 1, arbitrary: string({ unit: 'binary', maxLength: 40 }) },
  );
}

/** For paths and query strings: with escapes, with as few as can be sent, and with bad ones. */
export function hostileEscapes(canary: Canary): Arbitrary<string> {
  const names = hostileNames(canary);
  const bad = constantFrom(...BAD_ESCAPES);
  return oneof(
    { weight: 5, arbitrary: names.map((name) => escaped(name)) },
    { weight: 2, arbitrary: names.map((name) => escaped(name).replaceAll('%2F', '/')) },
    { weight: 1, arbitrary: tuple(bad, constantFrom('', '/', 'a', '.git%2f')).map(joined) },
  );
}

/** Every byte that could mean something is escaped; halves of pairs become U+FFFD. Not too long. */
export function escaped(name: string): string {
  return encodeURIComponent(Buffer.from(name.slice(0, MAX_ESCAPED)).toString());
}

/** The server takes 16 KiB of headers, the first line included. */
const MAX_ESCAPED = 4000;

const joined = (parts: readonly string[]): string => parts.join('');
