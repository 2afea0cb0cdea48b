import type { VNode } from 'preact';
import type { Page as ListPage } from '../../../platform/pagination/index.js';
import type { FailedJob, JobCount, JobDetail, JobState } from '../../../platform/queue/index.js';
import { Link, type WebPage, PostForm, Time } from '../../web/index.js';
import { consolePage } from '../html/console-page.js';
import { excerpt, formatCount, formatCounted, formatSeconds } from '../html/formats.js';
import { type Column, DataTable, Pager, queryOf, TextBlock } from '../html/tables.js';
import type { QueueState } from './jobs.service.js';

interface JobsPage {
  readonly queues: QueueState;
  readonly failed: ListPage<FailedJob>;
  /** The queue whose failed jobs are listed; undefined for all. */
  readonly queue?: string | undefined;
  readonly notice?: string | undefined;
}

const STORES = { postgres: 'PostgreSQL', redis: 'Redis' } as const;

/** The counts of one queue. */
interface QueueRow {
  readonly queue: string;
  readonly counts: readonly JobCount[];
}

const countOf = ({ counts }: QueueRow, state: JobState): VNode | string => {
  const found = counts.find((each) => each.state === state);
  if (found === undefined) return '0';
  const age = state === 'delayed' ? '' : ` (${formatSeconds(found.oldestSeconds)})`;
  return `${formatCounted([found])}${age}`;
};

const QUEUE_COLUMNS: readonly Column<QueueRow>[] = [
  { title: 'Queue', cell: ({ queue }) => queue },
  { title: 'Delayed', isNumber: true, cell: (row) => countOf(row, 'delayed') },
  { title: 'Waiting', isNumber: true, cell: (row) => countOf(row, 'waiting') },
  { title: 'Queued or running', isNumber: true, cell: (row) => countOf(row, 'queued') },
  {
    title: 'Failed',
    isNumber: true,
    cell: (row) =>
      row.counts.some(({ state }) => state === 'failed') ? (
        <Link to={`/admin/jobs${queryOf({ queue: row.queue })}`}>{countOf(row, 'failed')}</Link>
      ) : (
        '0'
      ),
  },
];

const FAILED_COLUMNS: readonly Column<FailedJob>[] = [
  { title: 'Job', cell: ({ id, name }) => <Link to={`/admin/jobs/${id}`}>{name}</Link> },
  { title: 'Queue', cell: ({ queue }) => queue },
  { title: 'Failed', cell: ({ failedAt }) => <Time at={failedAt} /> },
  { title: 'Attempts', isNumber: true, cell: ({ attempts }) => formatCount(attempts) },
  { title: 'Cause', cell: ({ error }) => <span class="long">{excerpt(error ?? '')}</span> },
  {
    title: 'Action',
    cell: (job) => <RetryForm job={job} text="Retry" label={`Retry ${job.name} ${job.id}`} />,
  },
];

/** Counts of all queues, and the failed jobs. */
export function jobsPage({ queues, failed, queue, notice }: JobsPage): WebPage {
  const page = (number: number) =>
    `/admin/jobs${queryOf({ queue, page: number, per_page: failed.perPage })}`;
  return consolePage({
    title: 'Jobs',
    section: '/admin/jobs',
    notice,
    children: (
      <>
        <h2>Queues</h2>
        <QueueStore {...queues} />
        <DataTable
          label="Jobs by queue"
          columns={QUEUE_COLUMNS}
          rows={groupByQueue(queues.counts)}
          empty="No job waits, runs or has failed."
        />
        <h2>Failed jobs{queue === undefined ? '' : ` of ${queue}`}</h2>
        {queue !== undefined && (
          <p>
            <Link to="/admin/jobs">Those of all queues</Link>
          </p>
        )}
        <DataTable label="Failed jobs" columns={FAILED_COLUMNS} rows={failed.items} />
        <Pager
          newer={failed.page > 1 ? page(failed.page - 1) : undefined}
          older={failed.hasNext ? page(failed.page + 1) : undefined}
        />
      </>
    ),
  });
}

function QueueStore({ store, isAnswering }: QueueState): VNode {
  const name = STORES[store];
  return (
    <p>
      The queues are in {name}, which{' '}
      {isAnswering ? 'answers.' : <strong class="bad">does not answer.</strong>}{' '}
      <span class="muted">
        In brackets: how long the oldest job has been due, or when the first of them failed.
      </span>
    </p>
  );
}

function groupByQueue(counts: readonly JobCount[]): QueueRow[] {
  const queues = [...new Set(counts.map(({ queue }) => queue))];
  return queues.map((queue) => ({
    queue,
    counts: counts.filter((count) => count.queue === queue),
  }));
}

/** A job in any state. */
export function jobPage(job: JobDetail, notice?: string): WebPage {
  return consolePage({
    title: `Job ${job.name}`,
    section: '/admin/jobs',
    notice,
    children: (
      <>
        <JobFields job={job} />
        {job.error !== null && (
          <>
            <h2>{job.state === 'failed' ? 'Cause' : 'Cause of the last failure'}</h2>
            <TextBlock label="Cause" text={job.error} />
          </>
        )}
        <h2>Data</h2>
        {job.payload === null ? (
          <p class="muted">Too long to be shown.</p>
        ) : (
          <TextBlock label="Data" text={JSON.stringify(job.payload, null, 2)} />
        )}
        {job.state === 'failed' && <JobActions job={job} />}
      </>
    ),
  });
}

const STATES: Readonly<Record<JobState, string>> = {
  delayed: 'waits for its time',
  waiting: 'waits for its queue',
  queued: 'in its queue, or running',
  failed: 'failed permanently',
};

function JobFields({ job }: { readonly job: JobDetail }): VNode {
  return (
    <dl class="fields">
      <dt>State</dt>
      <dd>
        <span class={job.state === 'failed' ? 'badge bad' : 'badge'}>{STATES[job.state]}</span>
      </dd>
      <dt>Queue</dt>
      <dd>{job.queue}</dd>
      <dt>Number</dt>
      <dd>{job.id}</dd>
      <dt>Failed attempts</dt>
      <dd>{formatCount(job.attempts)}</dd>
      <dt>Created</dt>
      <dd>
        <Time at={job.createdAt} />
      </dd>
      {job.failedAt === null ? (
        <>
          <dt>Due</dt>
          <dd>
            <Time at={job.runAt} />
          </dd>
        </>
      ) : (
        <>
          <dt>Failed</dt>
          <dd>
            <Time at={job.failedAt} />
          </dd>
        </>
      )}
    </dl>
  );
}

function JobActions({ job }: { readonly job: JobDetail }): VNode {
  return (
    <>
      <h2>Actions</h2>
      <RetryForm job={job} text="Retry" />
      <details class="danger">
        <summary>Remove the job</summary>
        <p>
          What the job was to do is then never done. A failed job that is left alone is removed
          thirty days after its failure.
        </p>
        <PostForm action={`/admin/jobs/${job.id}/remove`}>
          <input type="hidden" name="round" value={job.round} />
          <button type="submit" class="danger">
            Remove
          </button>
        </PostForm>
      </details>
    </>
  );
}

interface RetryFormProps {
  readonly job: Pick<FailedJob, 'id' | 'round'>;
  readonly text: string;
  /** For readers who do not see which row of a table the button stands in. */
  readonly label?: string;
}

const RetryForm = ({ job, text, label }: RetryFormProps): VNode => (
  <PostForm action={`/admin/jobs/${job.id}/retry`}>
    <input type="hidden" name="round" value={job.round} />
    <button type="submit" aria-label={label}>
      {text}
    </button>
  </PostForm>
);
