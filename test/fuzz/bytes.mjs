// What all conversations have in common: they are bytes, which are damaged, sent in pieces and ended.

/** How a client leaves: waits for the answer, closes its direction first, closes or resets the connection at once. */
const ENDINGS = [
  ['quiet', 6],
  ['half', 2],
  ['close', 1],
  ['reset', 1],
];
const MOST_PIECES = 40;

/** Does something that happens with a probability. */
export const maybe = (random, probability, make, otherwise) =>
  random.chance(probability) ? make() : otherwise;

/** A list of random length. */
export const several = (random, least, most, make) =>
  Array.from({ length: random.integer(least, most) }, (_, index) => make(index));

/** Cuts the bytes off at any place, or changes some. */
export function damage(random, bytes) {
  if (bytes.length === 0) return bytes;
  if (random.chance(0.7)) return bytes.subarray(0, random.integer(0, bytes.length - 1));
  const damaged = Buffer.from(bytes);
  for (let count = random.integer(1, 4); count > 0; count -= 1) {
    damaged[random.integer(0, bytes.length - 1)] = random.integer(0, 255);
  }
  return damaged;
}

/** Cuts the bytes into the pieces in which they are written. */
function inPieces(random, bytes) {
  const cuts = several(random, 0, random.pick([0, 3, MOST_PIECES]), () =>
    random.integer(0, bytes.length),
  );
  const bounds = [0, ...cuts.sort((a, b) => a - b), bytes.length];
  return bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
}

/**
 * What a client sends over a connection.
 * @param isWhole whether it is well-formed, so that it has to be answered
 * @returns `pieces`, `ending`, and `isWhole`: whether it is answered if the client waits
 */
export function spoken(random, bytes, isWhole) {
  const isDamaged = random.chance(isWhole ? 0.25 : 0.4);
  const sent = isDamaged ? damage(random, bytes) : bytes;
  const pieces = inPieces(random, sent);
  return { pieces, ending: random.weighted(ENDINGS), isWhole: isWhole && !isDamaged };
}
