/** @param {readonly number[]} values at least one */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The least value that so many percent of all are not above.
 * @param {readonly number[]} values at least one
 * @param {number} percent
 */
export function percentile(values, percent) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
}

/**
 * How one series compares with another that was measured in the same rounds: the median of the
 * rounds' own ratios, since whatever else the machine does weighs on both sides of a round.
 * @param {readonly number[]} ours
 * @param {readonly number[]} theirs
 */
export function ratioOf(ours, theirs) {
  const ratios = ours.map((value, round) => value / theirs[round]);
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}
