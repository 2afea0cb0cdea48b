/** The figures of `/metrics` by their names and labels. */
export type Figures = Readonly<Record<string, number>>;

/** Reads figures of the service from Prometheus' text format. */
export function parseFigures(text: string): Figures {
  const lines = text.split('\n').filter((line) => line.startsWith('trellis_'));
  const figures = lines.map((line) => line.split(/ (?=[^ ]*$)/));
  return Object.fromEntries(
    figures.map(([name, value]) => [name, Number(value)] as [string, number]),
  );
}
