// What the probe's records say.

/** Before the name of what is asked over a new connection. */
export const NEW = 'new ';
const ASKED = ['healthz', 'user', 'clone'];
/** What the probe asks: everything over a connection that is kept, and over a new one. */
export const KINDS = ASKED.flatMap((name) => [name, `${NEW}${name}`]);

/**
 * The longest time from a request of the probe to the next success of its kind: an answer that is
 * missing, late or a refusal are all the same to a user.
 * @returns its kind, bounds and length in milliseconds
 */
export function longestSilence({ records, ended }) {
  let longest = { ms: 0, kind: 'healthz', from: 0, to: 0 };
  for (const kind of new Set(records.map((record) => record.kind))) {
    let answered = ended;
    const ofKind = records.filter((record) => record.kind === kind);
    for (const { sent, done, ok } of ofKind.toReversed()) {
      if (ok) answered = Math.min(answered, done);
      const ms = answered - sent;
      if (ms > longest.ms) longest = { ms, kind, from: sent, to: answered };
    }
  }
  return longest;
}

/**
 * Returns a percentile of the latencies of a kind, in milliseconds; requests without an answer count up to the end.
 * @param excludedMs returns how many milliseconds between two moments do not count
 */
export function percentile({ records, ended }, kind, share, excludedMs = () => 0) {
  const times = records
    .filter((record) => record.kind === kind)
    .map(({ sent, done = ended }) => done - sent - excludedMs(sent, done))
    .sort((a, b) => a - b);
  return times[Math.floor(share * (times.length - 1))] ?? 0;
}

/** For how long between two moments the probe itself did not run, in milliseconds. */
export function stalledBetween({ stalls }, from, to) {
  let sum = 0;
  let counted = from;
  for (const [begin, end] of stalls.toSorted(([a], [b]) => a - b)) {
    const start = Math.max(begin, counted);
    const stop = Math.min(end, to);
    if (stop > start) {
      sum += stop - start;
      counted = stop;
    }
  }
  return sum;
}

/** For how long between two moments the api's main thread waited for a core, in milliseconds. */
export function coreWaitBetween({ coreWaits }, from, to) {
  const before = coreWaits.findLast(([at]) => at <= from) ?? coreWaits[0];
  const after = coreWaits.find(([at]) => at >= to) ?? coreWaits.at(-1);
  return Math.max(0, (after?.[1] ?? 0) - (before?.[1] ?? 0));
}

/** Refusals and broken connections of the probe, by what they were. */
export function probeFailures({ records }) {
  const counts = {};
  for (const { done, ok, answer, kind } of records) {
    if (done === undefined || ok) continue;
    const name = `${kind} ${answer}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
