import type { VNode } from 'preact';

/** A line of a chart. The second of a chart is dashed and has another colour. */
export interface Series {
  readonly name: string;
  /** One for each five minutes; null where nothing is known. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  readonly series: readonly Series[];
  /** Formats a value for people. */
  readonly format: (value: number) => string;
}

/** The picture is stretched to the width of the page, and its lines keep their strength. */
const WIDTH = 288;
const HEIGHT = 100;

/** A line chart of a day as a picture that needs no script, with its greatest values as text. */
export function Chart({ title, series, format }: ChartProps): VNode {
  const peak = Math.max(0, ...series.flatMap(({ values }) => values.filter(isKnown)));
  const summary = series.map(({ name, values }) => `${name}: ${peakText(values, format)}`);
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        <ul class="legend">
          {summary.map((text, index) => (
            <li key={text} class={`series-${String(index + 1)}`}>
              {text}
            </li>
          ))}
        </ul>
      </figcaption>
      <svg
        viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} in the last day. ${summary.join('; ')}.`}
      >
        {series.map(({ name, values }, index) => (
          <path key={name} class={`series-${String(index + 1)}`} d={lineOf(values, peak)} />
        ))}
      </svg>
      <p class="axis" aria-hidden="true">
        <span>24 h ago</span>
        <span>12 h ago</span>
        <span>now</span>
      </p>
    </figure>
  );
}

const isKnown = (value: number | null): value is number => value !== null;

function peakText(values: Series['values'], format: ChartProps['format']): string {
  const known = values.filter(isKnown);
  return known.length === 0 ? 'no figures' : `at most ${format(Math.max(...known))}`;
}

/** The path of a line, with gaps where nothing is known. A value between two gaps is a dot. */
function lineOf(values: Series['values'], peak: number): string {
  const step = WIDTH / values.length;
  const path: string[] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    const x = ((index + 0.5) * step).toFixed(1);
    const y = (HEIGHT - 2 - (peak === 0 ? 0 : (value / peak) * (HEIGHT - 4))).toFixed(1);
    const before = values[index - 1] ?? null;
    path.push(before === null ? `M${x} ${y}h0` : `L${x} ${y}`);
  });
  return path.join('');
}
