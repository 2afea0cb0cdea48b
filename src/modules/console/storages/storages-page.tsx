import type { VNode } from 'preact';
import { formatBytes } from '../../../platform/monitoring/index.js';
import type { WebPage } from '../../web/index.js';
import { consolePage } from '../html/console-page.js';
import { formatCount } from '../html/formats.js';
import { type Column, DataTable } from '../html/tables.js';
import { needsAttention, type StorageState } from './storages.service.js';

const SILENCES = { unavailable: 'cannot be read', slow: 'does not answer' } as const;

const COLUMNS: readonly Column<StorageState>[] = [
  { title: 'Storage', cell: ({ name }) => name },
  { title: 'Path', cell: ({ path }) => <code>{path}</code> },
  { title: 'Free', isNumber: true, cell: (each) => <Room of={each} /> },
  {
    title: 'Total',
    isNumber: true,
    cell: ({ disk }) => (typeof disk === 'string' ? '' : formatBytes(disk.totalBytes)),
  },
  {
    title: 'Repositories',
    isNumber: true,
    cell: ({ usage }) => (usage === null ? '' : formatCount(usage.repositories)),
  },
  { title: 'Their size', isNumber: true, cell: ({ usage }) => sizeOf(usage) },
];

function Room({ of }: { readonly of: StorageState }): VNode {
  const { disk } = of;
  const text =
    typeof disk === 'string'
      ? SILENCES[disk]
      : `${formatBytes(disk.freeBytes)} (${percentOf(disk.freeBytes, disk.totalBytes)})`;
  return needsAttention(of) ? <strong class="bad">{text}</strong> : <>{text}</>;
}

const percentOf = (part: number, whole: number): string =>
  `${String(whole === 0 ? 0 : Math.floor((part / whole) * 100))} %`;

function sizeOf(usage: StorageState['usage']): string {
  if (usage === null) return '';
  const { bytes, measured, repositories } = usage;
  if (measured === 0) return 'not measured';
  const part = measured < repositories ? ` (${formatCount(measured)} measured)` : '';
  return `${formatBytes(bytes)}${part}`;
}

/** The folders that the service writes to, and their room. */
export function storagesPage(storages: readonly StorageState[]): WebPage {
  return consolePage({
    title: 'Storages',
    section: '/admin/storages',
    children: (
      <>
        <DataTable label="Storages" columns={COLUMNS} rows={storages} />
        <p class="muted">
          As the process sees it that made this page. Repositories are measured under{' '}
          <code>PROJECT_MAX_BYTES</code> only. Free room is that of the service's account.
        </p>
      </>
    ),
  });
}
