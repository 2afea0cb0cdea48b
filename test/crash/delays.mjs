const EDGES = [5, 20, 40, 70, 100, 150, 200, 280, 400];

/**
 * Chooses how long after the pushes began the kill comes, in milliseconds. Ranges whose kills left
 * a push half-way are chosen more often.
 */
export class KillDelays {
  #ranges = EDGES.slice(1).map((to, index) => ({ from: EDGES[index], to, kills: 0, hits: 0 }));

  /** @returns the delay, and how to tell whether it hit a push in the middle */
  choose(random) {
    const weights = this.#ranges.map((range) => [range, (range.hits + 1) / (range.kills + 2)]);
    const range = random.weighted(weights);
    const learn = (hit) => {
      range.kills += 1;
      if (hit) range.hits += 1;
    };
    return { ms: random.integer(range.from, range.to), learn };
  }

  toString() {
    return this.#ranges
      .map(({ from, to, kills, hits }) => `${from}-${to} ms: ${hits}/${kills}`)
      .join(', ');
  }
}
