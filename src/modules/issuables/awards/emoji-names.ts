import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Injectable } from '@nestjs/common';

/** Existing clients use the names of this set, which was called EmojiOne. */
const NAMES = 'emojibase-data/en/shortcodes/joypixels.json';

const SHORTCODE = /^:([a-z0-9_+-]+):$/;

/** The names that emoji go by. */
@Injectable()
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

  /** The name that all others of the same emoji stand for: `+1` is `thumbsup`; null for none. */
  find(name: string): string | null {
    return this.canonical.get(name) ?? null;
  }

  /** The emoji that a text is as a whole, such as `:tada:`; null for any other text. */
  ofText(text: string): string | null {
    const [, name] = SHORTCODE.exec(text.trim()) ?? [];
    return name === undefined ? null : this.find(name);
  }
}
