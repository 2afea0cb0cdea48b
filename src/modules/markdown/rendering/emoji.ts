import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** An emoji of the file. Its names are written between colons. */
interface ListedEmoji {
  readonly shortname: string;
  readonly shortname_alternates: readonly string[];
  /** Code points in hexadecimal, with hyphens between them. */
  readonly unicode_output: string;
}

const SHORTCODE = /(?<![\p{L}\p{N}_:]):[a-z0-9_+-]{1,64}:(?![\p{L}\p{N}_:])/gu;

let characters: ReadonlyMap<string, string> | undefined;

/** Replaces the names of emoji in a text, such as `:tada:`, by their characters. */
export function withEmoji(text: string): string {
  return text.replace(SHORTCODE, (name) => {
    characters ??= readCharacters();
    return characters.get(name) ?? name;
  });
}

/** The file has a megabyte, and is read when a text first needs it. */
function readCharacters(): ReadonlyMap<string, string> {
  const file = createRequire(import.meta.url).resolve('emoji-toolkit/emoji_strategy.json');
  const listed = JSON.parse(readFileSync(file, 'utf8')) as Record<string, ListedEmoji>;
  return new Map(
    Object.values(listed).flatMap(({ shortname, shortname_alternates: others, unicode_output }) => {
      const codes = unicode_output.split('-').map((code) => parseInt(code, 16));
      const character = String.fromCodePoint(...codes);
      return [shortname, ...others].map((name): [string, string] => [name, character]);
    }),
  );
}
