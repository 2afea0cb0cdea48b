import type { ComponentChildren, VNode } from 'preact';
import { formatBytes, type InstanceStatistics } from '../../../platform/monitoring/index.js';
import { Link, type WebPage, Time } from '../../web/index.js';
import { consolePage, type ConsoleSection } from '../html/console-page.js';
import { formatCount, formatCounted, formatMs, formatSeconds } from '../html/formats.js';
import { type Column, DataTable } from '../html/tables.js';
import { needsAttention } from '../storages/storages.service.js';
import { Chart } from './chart.js';
import {
  type Hour,
  hoursOf,
  hoursSinceFirst,
  type Period,
  PERIODS_PER_HOUR,
  periodsOf,
} from './day.js';
import type { Overview } from './overview.service.js';
import { BYTES, COUNTS, DURATIONS } from './scale.js';

/** The state of the instance at a glance, and charts of the last day. */
export function overviewPage(overview: Overview): WebPage {
  return consolePage({
    title: 'Overview',
    section: '/admin',
    children: (
      <>
        <ul class="tiles">
          <ProcessesTile {...overview} />
          <JobsTile {...overview} />
          <DeliveriesTile {...overview} />
          <StoragesTile {...overview} />
        </ul>
        <h2>The last day</h2>
        <Charts periods={periodsOf(overview.beginning, overview.statistics)} />
        <Hours hours={hoursOf(overview.statistics)} />
      </>
    ),
  });
}

interface TileProps {
  readonly to: ConsoleSection;
  readonly name: string;
  readonly figure: string;
  /** What needs attention; nothing does without any. */
  readonly troubles: readonly (string | false)[];
  readonly children: ComponentChildren;
}

function Tile({ to, name, figure, troubles, children }: TileProps): VNode {
  const found = troubles.filter((trouble) => trouble !== false);
  return (
    <li class="tile">
      <h2>
        <Link to={to}>{name}</Link>
      </h2>
      <p class="figure">{figure}</p>
      <p class="muted">{children}</p>
      {found.map((trouble) => (
        <p key={trouble} class="bad">
          {trouble}
        </p>
      ))}
    </li>
  );
}

function ProcessesTile({ processes }: Overview): VNode {
  const silent = processes.filter(({ isSilent }) => isSilent).length;
  const versions = [...new Set(processes.map(({ version }) => version))];
  const memory = processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  const runJobs = processes.some(({ role }) => role !== 'api');
  return (
    <Tile
      to="/admin/processes"
      name="Processes"
      figure={formatCount(processes.length)}
      troubles={[
        silent > 0 && `${formatCount(silent)} without a sign`,
        processes.length > 0 && !runJobs && 'None runs jobs',
        versions.length > 1 && 'Several versions are running',
      ]}
    >
      {versions.length === 0
        ? 'None has described itself yet'
        : `Version ${versions.join(', ')}; ${formatBytes(memory)} of memory`}
    </Tile>
  );
}

function JobsTile({ queues: { counts, isAnswering } }: Overview): VNode {
  const inState = (wanted: string) => counts.filter(({ state }) => state === wanted);
  const waiting = counts.filter(({ state }) => state === 'waiting' || state === 'queued');
  const oldest = Math.max(0, ...waiting.map(({ oldestSeconds }) => oldestSeconds));
  const failed = inState('failed');
  return (
    <Tile
      to="/admin/jobs"
      name="Jobs"
      figure={formatCounted(waiting)}
      troubles={[
        failed.length > 0 && `${formatCounted(failed)} failed permanently`,
        !isAnswering && 'The queues do not answer',
      ]}
    >
      {oldest === 0 ? 'Due or running' : `Due or running, the oldest for ${formatSeconds(oldest)}`};{' '}
      {formatCounted(inState('delayed'))} delayed
    </Tile>
  );
}

function DeliveriesTile({ deliveries }: Overview): VNode {
  const { pending, hasMorePending, oldestPendingSeconds, failures, disabledHooks } = deliveries;
  const failed = failures.filter(({ state }) => state === 'failed');
  const disabled = disabledHooks.reduce((total, { count }) => total + count, 0);
  return (
    <Tile
      to="/admin/deliveries"
      name="Deliveries"
      figure={formatCounted([{ count: pending, hasMore: hasMorePending }])}
      troubles={[
        failed.length > 0 && `${formatCounted(failed)} failed in thirty days`,
        disabled > 0 && `${formatCount(disabled)} hooks are disabled`,
      ]}
    >
      {oldestPendingSeconds === 0
        ? 'On their way'
        : `On their way, the oldest for ${formatSeconds(oldestPendingSeconds)}`}
    </Tile>
  );
}

function StoragesTile({ storages }: Overview): VNode {
  const [first] = storages;
  const room = typeof first?.disk === 'object' ? formatBytes(first.disk.freeBytes) : 'unknown';
  return (
    <Tile
      to="/admin/storages"
      name="Storages"
      figure={room}
      troubles={storages
        .filter(needsAttention)
        .map(({ name, disk }) =>
          typeof disk === 'string' ? `${name} does not answer` : `${name} is nearly full`,
        )}
    >
      Free in the data folder
    </Tile>
  );
}

function Charts({ periods: day }: { readonly periods: readonly Period[] }): VNode {
  const hours = hoursSinceFirst(day);
  const periods = day.slice(-hours * PERIODS_PER_HOUR);
  const series = (name: string, value: (entry: InstanceStatistics) => number | null) => ({
    name,
    values: periods.map(({ entry }) => (entry === null ? null : value(entry))),
  });
  return (
    <div class="charts">
      <Chart
        title="Requests in five minutes"
        hours={hours}
        scale={COUNTS}
        series={[
          series('requests', ({ requests }) => requests),
          series('answered with 5xx', ({ serverErrors }) => serverErrors),
        ]}
      />
      <Chart
        title="Duration of requests"
        hours={hours}
        scale={DURATIONS}
        series={[
          series('95th percentile', ({ slowDurationMs }) => slowDurationMs),
          series('mean', ({ meanDurationMs }) => meanDurationMs),
        ]}
      />
      <Chart
        title="Event loop delay"
        hours={hours}
        scale={DURATIONS}
        series={[series('longest of all processes', ({ eventLoopDelayMs }) => eventLoopDelayMs)]}
      />
      <Chart
        title="Memory"
        hours={hours}
        scale={BYTES}
        series={[series('all processes', ({ memoryBytes }) => memoryBytes)]}
      />
      <Chart
        title="Jobs in five minutes"
        hours={hours}
        scale={COUNTS}
        series={[
          series('done', ({ jobsDone }) => jobsDone),
          series('failed attempts', ({ jobsFailed }) => jobsFailed),
        ]}
      />
      <Chart
        title="Deliveries in five minutes"
        hours={hours}
        scale={COUNTS}
        series={[
          series('delivered', ({ deliveriesDone }) => deliveriesDone),
          series('failed attempts', ({ deliveriesFailed }) => deliveriesFailed),
        ]}
      />
    </div>
  );
}

const ms = (value: number | null): string => (value === null ? '' : formatMs(value));

const HOUR_COLUMNS: readonly Column<Hour>[] = [
  { title: 'Hour', cell: ({ at }) => <Time at={at} /> },
  { title: 'Requests', isNumber: true, cell: ({ requests }) => formatCount(requests) },
  { title: '5xx', isNumber: true, cell: ({ serverErrors }) => formatCount(serverErrors) },
  { title: 'Mean', isNumber: true, cell: ({ meanDurationMs }) => ms(meanDurationMs) },
  { title: '95th percentile', isNumber: true, cell: ({ slowDurationMs }) => ms(slowDurationMs) },
  {
    title: 'Event loop delay',
    isNumber: true,
    cell: ({ eventLoopDelayMs }) => ms(eventLoopDelayMs),
  },
  { title: 'Memory', isNumber: true, cell: ({ memoryBytes }) => formatBytes(memoryBytes) },
  { title: 'Jobs', isNumber: true, cell: ({ jobsDone }) => formatCount(jobsDone) },
  { title: 'Failed', isNumber: true, cell: ({ jobsFailed }) => formatCount(jobsFailed) },
  {
    title: 'Deliveries',
    isNumber: true,
    cell: ({ deliveriesDone }) => formatCount(deliveriesDone),
  },
  {
    title: 'Failed deliveries',
    isNumber: true,
    cell: ({ deliveriesFailed }) => formatCount(deliveriesFailed),
  },
];

/** The figures of the charts as a table. */
const Hours = ({ hours }: { readonly hours: readonly Hour[] }): VNode => (
  <details>
    <summary>The figures as a table, by hour</summary>
    <DataTable
      label="The last day by hour"
      isScrolled
      columns={HOUR_COLUMNS}
      rows={hours}
      empty="No process has left statistics yet: they do so every five minutes."
    />
  </details>
);
