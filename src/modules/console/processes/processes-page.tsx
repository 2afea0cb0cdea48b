import type { ListedProcess } from '../../../platform/cluster/index.js';
import { formatBytes } from '../../../platform/monitoring/index.js';
import { type WebPage, Time } from '../../web/index.js';
import { consolePage } from '../html/console-page.js';
import { formatCount, formatMs, formatSeconds } from '../html/formats.js';
import { type Column, DataTable } from '../html/tables.js';

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
      each.isSilent ? (
        <strong class="bad">{formatSeconds(each.silentSeconds)} ago</strong>
      ) : (
        `${formatSeconds(each.silentSeconds)} ago`
      ),
  },
];

/** The processes that run, and what they say about themselves. */
export function processesPage(processes: readonly ListedProcess[]): WebPage {
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
          Each process renews its row three times in the time of its lease (
          <code>PROCESS_LEASE_SECONDS</code>), and removes it when it ends. One whose lease has
          expired is marked, and others take over its work; its row disappears after two minutes.
          The delay of the event loop is the 99th percentile since the row was renewed; connections
          are those to the database that are in use.
        </p>
      </>
    ),
  });
}
