import type { VNode } from 'preact';
import type { Scale } from './scale.js';

/** A line of a chart. The second of a chart is dashed and has another colour. */
export interface Series {
  readonly name: string;
  /** One for each five minutes; null where nothing is known. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  /** The time that the chart shows, up to now. */
  readonly hours: number;
  readonly series: readonly Series[];
  readonly scale: Scale;
}

/** The picture is stretched to the width of the page, and its lines keep their strength. */
const WIDTH = 288;
const HEIGHT = 100;

/** A line chart of the last hours as a picture that needs no script, with its latest and greatest values as text. */
export function Chart({ title, hours, series, scale }: ChartProps): VNode {
  const peak = Math.max(0, ...series.flatMap(({ values }) => values.filter(isKnown)));
  const top = scale.roundUp(peak);
  const summary = series.map(({ name, values }) => `${name}: ${describeValues(values, scale)}`);
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
      <p class="value-axis" aria-hidden="true">
        <span>{scale.format(top)}</span>
        <span>{scale.format(top / 2)}</span>
        <span>0</span>
      </p>
      <svg
        viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} in the last ${String(hours)} hours. ${summary.join('; ')}.`}
      >
        <path class="grid" d={`M0 0H${String(WIDTH)}M0 ${String(HEIGHT / 2)}H${String(WIDTH)}`} />
        {series.map(({ name, values }, index) => (
          <path key={name} class={`series-${String(index + 1)}`} d={lineOf(values, top)} />
        ))}
      </svg>
      <p class="time-axis" aria-hidden="true">
        <span>{hours} h ago</span>
        <span>{hours / 2} h ago</span>
        <span>now</span>
      </p>
    </figure>
  );
}

const isKnown = (value: number | null): value is number => value !== null;

function describeValues(values: Series['values'], { format }: Scale): string {
  const known = values.filter(isKnown);
  const latest = known.at(-1);
  if (latest === undefined) return 'no figures';
  return `latest ${format(latest)}, at most ${format(Math.max(...known))}`;
}

/** The path of a line, with gaps where nothing is known. A value between two gaps is a dot. */
function lineOf(values: Series['values'], top: number): string {
  const step = WIDTH / values.length;
  const path: string[] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    const x = ((index + 0.5) * step).toFixed(1);
    const y = (HEIGHT - (value / top) * HEIGHT).toFixed(1);
    const before = values[index - 1] ?? null;
    path.push(before === null ? `M${x} ${y}h0` : `L${x} ${y}`);
  });
  return path.join('');
}
