/** A run of `*` or `_` that may begin or end emphasis. */
export interface Delimiters {
  readonly sign: '*' | '_';
  at: number;
  count: number;
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
}

/** Reads a run of delimiters. @param end where it ends */
export function delimitersAt(text: string, at: number, end: number): Delimiters {
  const before = kindBefore(text, at);
  const after = kindOf(text.codePointAt(end));
  const opens = after !== 'blank' && (after === 'letter' || before !== 'letter');
  const closes = before !== 'blank' && (before === 'letter' || after !== 'letter');
  const sign = text[at] === '_' ? '_' : '*';
  const length = end - at;
  return {
    sign,
    at,
    count: length,
    length,
    canOpen: opens && (sign === '*' || !closes || before === 'sign'),
    canClose: closes && (sign === '*' || !opens || after === 'sign'),
  };
}

type Kind = 'blank' | 'sign' | 'letter';

function kindBefore(text: string, at: number): Kind {
  const last = text.charCodeAt(at - 1);
  const isHalf = last >= 0xdc00 && last <= 0xdfff && at > 1;
  return kindOf(at === 0 ? undefined : isHalf ? text.codePointAt(at - 2) : last);
}

function kindOf(code: number | undefined): Kind {
  if (code === undefined) return 'blank';
  const known = ASCII_KINDS[code];
  if (known !== undefined) return known;
  const character = String.fromCodePoint(code);
  if (/\s/.test(character)) return 'blank';
  return /[\p{P}\p{S}]/u.test(character) ? 'sign' : 'letter';
}

const ASCII_KINDS = Array.from({ length: 128 }, (_, code): Kind => {
  if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return 'blank';
  return /[!-/:-@[-`{-~]/.test(String.fromCharCode(code)) ? 'sign' : 'letter';
});

/**
 * Pairs delimiters as CommonMark does, and reports those that are markup. Where no opener was found once,
 * none is looked for again: the cost is linear.
 */
export function pairDelimiters(
  runs: readonly Delimiters[],
  markup: (start: number, end: number) => void,
): void {
  // Runs that are paired, or stand within a pair, are skipped by both links.
  const previous = runs.map((_, index) => index - 1);
  const searched = Array.from({ length: 12 }, () => -1);
  for (let index = 0; index < runs.length; index += 1) {
    const closer = runs[index];
    while (closer?.canClose === true && closer.count > 0) {
      const key = (closer.sign === '*' ? 6 : 0) + (closer.canOpen ? 3 : 0) + (closer.length % 3);
      const bottom = searched[key] ?? -1;
      let at = previous[index] ?? -1;
      while (at > bottom && !isPair(runs[at], closer)) at = previous[at] ?? -1;
      const opener = at > bottom ? runs[at] : undefined;
      if (opener === undefined) {
        searched[key] = previous[index] ?? -1;
        break;
      }
      const used = opener.count >= 2 && closer.count >= 2 ? 2 : 1;
      opener.count -= used;
      markup(opener.at + opener.count, opener.at + opener.count + used);
      markup(closer.at, closer.at + used);
      closer.at += used;
      closer.count -= used;
      previous[index] = opener.count > 0 ? at : (previous[at] ?? -1);
    }
    // A delimiter that cannot open emphasis need not be searched again.
    if (
      closer !== undefined &&
      (!closer.canOpen || closer.count === 0) &&
      index + 1 < runs.length
    ) {
      previous[index + 1] = previous[index] ?? -1;
    }
  }
}

function isPair(opener: Delimiters | undefined, closer: Delimiters): boolean {
  if (opener?.sign !== closer.sign || !opener.canOpen) return false;
  const isEither = opener.canClose || closer.canOpen;
  return !isEither || closer.length % 3 === 0 || (opener.length + closer.length) % 3 !== 0;
}
