import { formatBytes, type ListedProcess } from '../../../platform/monitoring/index.js';
import { type Page, Time } from '../../web/index.js';
import { consolePage } from '../html/console-page.js';
import { formatCount, formatMs, formatSeconds } from '../html/formats.js';
import { type Column, DataTable } from '../html/tables.js';

/** Three renewals of the lease as it is by default: a process that was only busy is not complained about. */
const SILENT_SECONDS = 15;

/** Whether a process has not renewed its row as it should have. */
export const isSilent = ({ silentSeconds }: ListedProcess): boolean =>
  silentSeconds > SILENT_SECONDS;

const COLUMNS: readonly Column<ListedProcess>[] = [
  { title: 'Role', cell: ({ role }) => role },
  { title: 'Host', cell: ({ host }) => host },
  { title: 'Process', isNumber: true, cell: ({ pid }) => pid },
  { title: 'Version', cell: ({ version }) => version },
  { title: 'Started', cell: ({ startedAt }) => <Time at={startedAt} /> },
  { title: 'Memory', isNumber: true, cell: ({ memoryBytes }) => formatBytes(memoryBytes) },
  {
    title: 'Event loop delay',
    isNumber: true,
    cell: ({ eventLoopDelayMs }) => formatMs(eventLoopDelayMs),
  },
  {
    title: 'Connections',
    isNumber: true,
    cell: ({ connectionsUsed: used, connectionsLimit: limit, connectionsWaiting: waiting }) =>
      `${formatCount(used)} of ${formatCount(limit)}${waiting === 0 ? '' : `, ${formatCount(waiting)} waiting`}`,
  },
  {
    title: 'Last sign',
    isNumber: true,
    cell: (each) =>
      isSilent(each) ? (
        <strong class="bad">{formatSeconds(each.silentSeconds)} ago</strong>
      ) : (
        `${formatSeconds(each.silentSeconds)} ago`
      ),
  },
];

/** The processes that run, and what they say about themselves. */
export function processesPage(processes: readonly ListedProcess[]): Page {
  const versions = new Set(processes.map(({ version }) => version));
  return consolePage({
    title: 'Processes',
    section: '/admin/processes',
    children: (
      <>
        {versions.size > 1 && <p class="notice warn">Processes of several versions are running.</p>}
        <DataTable
          label="Processes"
          columns={COLUMNS}
          rows={processes}
          empty="No process has described itself yet."
        />
        <p class="muted">
          Each process renews its row every five seconds, and removes it when it ends. Others take
          over the work of one that was silent for 15 seconds; its row disappears after two minutes.
          The delay of the event loop is the 99th percentile since the row was renewed; connections
          are those to the database that are in use.
        </p>
      </>
    ),
  });
}
