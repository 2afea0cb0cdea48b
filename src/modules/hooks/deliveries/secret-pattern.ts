const REDACTED = '[redacted]';

/**
 * A secret that is redacted in the texts of receivers. The time is linear in text and secret, whatever they are (Knuth, Morris and
 * Pratt): both may be made so that the search of a string compares each position to its end.
 */
export class SecretPattern {
  /** For each length of a beginning, that of the longest shorter beginning that it ends with. */
  private readonly borders: Int32Array;

  constructor(private readonly secret: string) {
    this.borders = new Int32Array(secret.length + 1);
    for (let at = 1, matched = 0; at < secret.length; at += 1) {
      matched = this.extend(matched, secret.charCodeAt(at));
      this.borders[at + 1] = matched;
    }
  }

  /** The text without the secret. */
  redact(text: string): string {
    const { length } = this.secret;
    if (text.length < length) return text;
    const kept: string[] = [];
    let begin = 0;
    for (let at = 0, matched = 0; at < text.length; at += 1) {
      matched = this.extend(matched, text.charCodeAt(at));
      if (matched < length) continue;
      kept.push(text.slice(begin, at + 1 - length));
      begin = at + 1;
      matched = 0;
    }
    return begin === 0 ? text : [...kept, text.slice(begin)].join(REDACTED);
  }

  /** The text without a beginning of the secret at its end, of at least `least` characters. */
  redactEnd(text: string, least: number): string {
    let matched = 0;
    for (let at = Math.max(0, text.length + 1 - this.secret.length); at < text.length; at += 1) {
      matched = this.extend(matched, text.charCodeAt(at));
    }
    return matched < least ? text : text.slice(0, -matched) + REDACTED;
  }

  /** The length of the beginning that is matched with one more character. */
  private extend(before: number, character: number): number {
    let matched = before;
    while (matched > 0 && this.secret.charCodeAt(matched) !== character) {
      matched = this.borders[matched] ?? 0;
    }
    return this.secret.charCodeAt(matched) === character ? matched + 1 : matched;
  }
}
