import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Existing clients use the names of this set, which was called EmojiOne. */
const NAMES = 'emojibase-data/en/shortcodes/joypixels.json';

const SHORTCODE = /^:([a-z0-9_+-]+):$/;

/** Looks up the names of emoji. */
export class EmojiNames {
  private readonly canonical = new Map<string, string>();

  constructor() {
    const file = createRequire(import.meta.url).resolve(NAMES);
    const names = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string | string[]>;
    for (const given of Object.values(names)) {
      const all = typeof given === 'string' ? [given] : given;
      for (const name of all) {
        if (all[0] !== undefined && !this.canonical.has(name)) this.canonical.set(name, all[0]);
      }
    }
  }

  /** Returns the canonical name of an emoji: `thumbsup` for `+1`; null for an unknown name. */
  find(name: string): string | null {
    return this.canonical.get(name) ?? null;
  }

  /** Returns the emoji that a text consists of, such as `:tada:`; null for any other text. */
  ofText(text: string): string | null {
    const [, name] = SHORTCODE.exec(text.trim()) ?? [];
    return name === undefined ? null : this.find(name);
  }
}
