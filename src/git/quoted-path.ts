const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPES: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
};

/** The bytes of a path as git prints it in a line: in quotes where it has unusual characters. */
export function unquotePath(text: string): Buffer {
  const printed = Buffer.from(text, 'latin1');
  if (printed[0] !== QUOTE || printed.length < 2) return printed;
  const bytes: number[] = [];
  for (let at = 1; at < printed.length - 1; at += 1) {
    if (printed[at] !== BACKSLASH) {
      bytes.push(printed[at] ?? 0);
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4))?.[0];
    const letter = text[at + 1] ?? '';
    bytes.push(
      octal === undefined ? (ESCAPES[letter] ?? letter.charCodeAt(0)) : parseInt(octal, 8),
    );
    at += octal?.length ?? 1;
  }
  return Buffer.from(bytes);
}
