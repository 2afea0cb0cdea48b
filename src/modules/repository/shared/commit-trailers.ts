import { copyOf } from './commit-text.js';

const TRAILER = /^([A-Za-z0-9-]+):[ \t]*(\S.*)$/;
/** The trailers of a message, as far as they are shown. */
const MAX_TRAILERS = 100;
const MAX_TRAILER_CHARACTERS = 1_024;

/** A line `Name: value` at the end of a message. */
export interface Trailer {
  name: string;
  value: string;
}

/** Returns the trailers of a message: the lines of its last paragraph, where all of these are trailers. */
export function trailersOf(message: string): Trailer[] {
  const paragraphs = message.trimEnd().split(/\n[ \t]*\n/);
  if (paragraphs.length < 2) return [];
  const trailers: Trailer[] = [];
  for (const line of (paragraphs.at(-1) ?? '').split('\n')) {
    const [, name, value] = TRAILER.exec(line.trimEnd()) ?? [];
    if (name === undefined || value === undefined) return [];
    trailers.push({ name, value });
  }
  return trailers;
}

/** The same for an answer: the first hundred, with values of at most 1,024 characters. */
export const shownTrailers = (message: string): Trailer[] =>
  trailersOf(message)
    .slice(0, MAX_TRAILERS)
    .map(({ name, value }) => ({
      name: copyOf(name.slice(0, MAX_TRAILER_CHARACTERS)),
      value: copyOf(value.slice(0, MAX_TRAILER_CHARACTERS)),
    }));
