import iconv from 'iconv-lite';
import { SPACE } from './bytes.js';

const ESCAPE = 0x1b;
/** Characters; longer than the names of all encodings. */
const LONGEST_NAME = 40;
const REPLACEMENT = '\uFFFD';

/** What an encoding has to leave unchanged, since headers are ASCII. UTF-7, UTF-16 and EBCDIC do not. */
const ASCII = String.fromCharCode(...Array.from({ length: 0x7f - SPACE }, (_, at) => SPACE + at));

/** Encodings that git does not convert either. iconv-lite takes 100 ms for 1 MiB of CESU-8. */
const NOT_OF_GIT: ReadonlySet<string> = new Set(['cesu8', 'binary']);

/** Characters that iconv-lite takes from tables for browsers, and what iconv, which git uses, has instead. */
const JAPANESE = ['～〜', '∥‖', '－−', '￠¢', '￡£', '￢¬'];
const SHIFT_JIS = [...JAPANESE, '\\¥', '~‾'];
const CHINESE = ['·・', '—―'];
const DIFFERENT_CHARACTERS = new Map([
  ['eucjp', JAPANESE],
  ['shiftjis', SHIFT_JIS],
  ['sjis', SHIFT_JIS],
  ['gb2312', CHINESE],
  ['euccn', CHINESE],
]);

/**
 * Converts a commit to UTF-8 from the encoding that its header names, as `git log` does. Like git, converts nothing
 * when the encoding is unknown or any byte is invalid in it. A character that is cut at the end is dropped.
 *
 * `TextDecoder` reads ISO-8859-1 as windows-1252 in Node.js 24, and so differs from git.
 */
export function convertToUtf8(content: Buffer, encoding: string): Buffer {
  if (encoding.length > LONGEST_NAME) return content;
  // As iconv-lite does, which ignores a year, too: ISO_8859-1:1987.
  const name = encoding.toLowerCase().replace(/:\d{4}$|[^0-9a-z]/g, '');
  if (name === 'utf8') return content;
  const isIso2022 = name === 'iso2022jp';
  const bytes = isIso2022 ? toEucJp(content) : content;
  const text = bytes && decode(bytes, isIso2022 ? 'eucjp' : name);
  return text === null ? content : Buffer.from(text);
}

/** Returns null for an encoding that is not converted, and for invalid bytes. */
function decode(content: Buffer, encoding: string): string | null {
  if (!isConverted(encoding)) return null;
  let text = read(content, encoding);
  if (text.includes(REPLACEMENT)) return null;
  for (const [other = '', wanted = ''] of DIFFERENT_CHARACTERS.get(encoding) ?? []) {
    text = text.replaceAll(other, wanted);
  }
  return text;
}

/** Decided by a short text: iconv-lite can take seconds for 1 MiB of an encoding that does not keep ASCII. */
function isConverted(encoding: string): boolean {
  return (
    !NOT_OF_GIT.has(encoding) &&
    iconv.encodingExists(encoding) &&
    read(Buffer.from(ASCII), encoding) === ASCII
  );
}

function read(bytes: Buffer, encoding: string): string {
  return iconv.getDecoder(encoding, { stripBOM: false }).write(bytes);
}

/** Converts ISO-2022-JP to EUC-JP, which has the same characters. Returns null for invalid bytes. */
function toEucJp(content: Buffer): Buffer | null {
  const converted = Buffer.alloc(content.length);
  let length = 0;
  let isKanji = false;
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at] ?? 0;
    if (byte >= 0x80) return null;
    if (byte === ESCAPE) {
      const set = content.toString('latin1', at + 1, at + 3);
      if (!/^(?:\$[@B]|\([BJ])$/.test(set)) return null;
      isKanji = set.startsWith('$');
      at += 2;
      continue;
    }
    converted[length] = isKanji && byte > SPACE ? byte | 0x80 : byte;
    length += 1;
  }
  return converted.subarray(0, length);
}
