/** Longer than any line of git's own that matters. */
const KEPT = 256;
const PERCENT = /(?:^|[\r\n])Receiving objects:\s+(\d{1,3})%/g;
const BYTES = /(?:^|[\r\n])Receiving objects:[^\r\n]{1,80}, ([\d.]+) (bytes|[KMG]iB) \|/g;
const UNITS: Readonly<Record<string, number>> = {
  bytes: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** Follows how far a fetch is, from git's progress messages as they come, cut anywhere. */
export class FetchProgress {
  /** Bytes that have arrived, about. */
  receivedBytes = 0;
  private percent = -1;
  private rest = '';

  /** @param onPercent hears how many per cent of the objects have arrived, each number once */
  constructor(private readonly onPercent: (percent: number) => void) {}

  read(chunk: Buffer): void {
    const text = this.rest + chunk.toString('latin1');
    for (const [, digits] of text.matchAll(PERCENT)) {
      const percent = Math.min(100, Number(digits));
      if (percent <= this.percent) continue;
      this.percent = percent;
      this.onPercent(percent);
    }
    for (const [, count, unit] of text.matchAll(BYTES)) {
      const bytes = Number(count) * (UNITS[unit ?? ''] ?? 1);
      if (bytes > this.receivedBytes) this.receivedBytes = bytes;
    }
    this.rest = text.slice(-KEPT);
  }
}
