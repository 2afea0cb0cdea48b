// Texts that cost a Markdown parser or a reader of references more than their length suggests.

const UNITS = [
  ...[
    '[',
    '![',
    '![a](',
    '[a](',
    '[]',
    '](',
    '[a][',
    '<',
    '<a',
    '<b>',
    '</b>',
    '<!--',
    '<a href="',
  ],
  ...[
    '*',
    '**',
    '_',
    '*a_',
    '`',
    '``a`',
    '~~',
    '\\',
    '\\[',
    '&',
    '&amp;',
    '&#35;',
    '&lt;',
    '"',
    "'",
  ],
  ...[
    '> ',
    '- ',
    '* 1. ',
    '    ',
    '\t',
    '#',
    '# ',
    '|',
    '|-',
    '| a ',
    '---\n',
    '```\n',
    '~~~',
    '$',
  ],
  ...[
    '@',
    '@mallory ',
    '@all ',
    '#1',
    '#1 ',
    '!1 ',
    '~a ',
    '%1 ',
    'a/b#1 ',
    'a#',
    'a/',
    '-',
    '.',
    '://',
  ],
  ...['Closes #1, #2 and ', 'closes ', 'Fixes #1 ', 'http://localhost/', 'http://', 'www.', 'a@b.'],
  ...[
    '<b>#1</b>',
    '[#1](#1)',
    '`#1`',
    '*#1*',
    '<!--#1-->',
    '> #1\n',
    '- #1\n',
    '\n',
    '\n\n',
    '\r',
    'ﷺ',
    '\u0301',
    '\ud83d\ude00',
  ],
];

/** One of the grammar's texts of about so many characters. */
export function hostileText(random, length) {
  const units = Array.from({ length: random.integer(1, 3) }, () => random.pick(UNITS));
  const shape = random.pick(['repeated', 'nested', 'lines', 'mixed', 'deep']);
  switch (shape) {
    case 'repeated':
      return repeated(units.join(''), length);
    case 'nested':
      return nested(
        units.join(''),
        random.pick([']', ')', '>', '`', '*', '"', '](a)', '</b>']),
        length,
      );
    case 'lines':
      return repeated(`${units.join(random.pick(['', ' ', 'a']))}\n`, length);
    case 'deep':
      return deepening(units[0], length);
    default:
      return mixed(random, length);
  }
}

export function repeated(unit, length) {
  return unit.repeat(Math.max(1, Math.floor(length / unit.length)));
}

function nested(open, close, length) {
  const count = Math.max(1, Math.floor(length / (open.length + close.length)));
  return `${open.repeat(count)}a${close.repeat(count)}`;
}

/** Every line is one unit deeper than the one before. */
function deepening(unit, length) {
  const lines = [];
  for (let size = 0, depth = 1; size < length; depth += 1) {
    const line = `${unit.repeat(Math.min(depth, 500))}a`;
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join('\n').slice(0, length);
}

function mixed(random, length) {
  let text = '';
  while (text.length < length) text += random.pick(UNITS).repeat(random.integer(1, 200));
  return text.slice(0, length);
}
