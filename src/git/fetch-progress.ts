/** Longer than any line of git's own that matters. */
const KEPT = 256;
const RECEIVED = /(?:^|[\r\n])Receiving objects:\s+(\d{1,3})%/g;

/** Reads git's progress messages as they come, cut anywhere; tells each new number of per cent once. */
export function receivedPercent(tell: (percent: number) => void): (chunk: Buffer) => void {
  let rest = '';
  let last = -1;
  return (chunk) => {
    const text = rest + chunk.toString('latin1');
    for (const [, digits] of text.matchAll(RECEIVED)) {
      const percent = Math.min(100, Number(digits));
      if (percent <= last) continue;
      last = percent;
      tell(percent);
    }
    rest = text.slice(-KEPT);
  };
}
