import type { VNode } from 'preact';
import type { Page as ListPage } from '../../../platform/pagination/index.js';
import { AUDIT_ACTIONS, AUDIT_TARGETS, type AuditEvent } from '../../audit/index.js';
import { GetForm, Link, type WebPage, Time } from '../../web/index.js';
import { consolePage } from '../html/console-page.js';
import { Choice, Field, timeOf } from '../html/forms.js';
import { type Column, DataTable, Pager, queryOf } from '../html/tables.js';
import type { AuditFiltersDto } from './audit-filters.dto.js';

const COLUMNS: readonly Column<AuditEvent>[] = [
  { title: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: 'Action',
    cell: ({ action }) => <Link to={`/admin/audit${queryOf({ action })}`}>{action}</Link>,
  },
  { title: 'Author', cell: (event) => <Author of={event} /> },
  {
    title: 'Target',
    cell: (event) => (
      <span class="long">
        <Target of={event} />
      </span>
    ),
  },
  { title: 'Address', cell: ({ ip }) => ip ?? '' },
  { title: 'Details', cell: (event) => <span class="long">{detailsOf(event)}</span> },
];

function Author({ of: event }: { readonly of: AuditEvent }): VNode {
  const { authorId, authorName, administratorName } = event;
  return (
    <>
      {authorId === null ? (
        authorName
      ) : (
        <Link to={`/admin/audit${queryOf({ author: authorId })}`}>{authorName}</Link>
      )}
      {administratorName !== null && ` (${administratorName} by sudo)`}
    </>
  );
}

function Target({ of: { targetType, targetId, targetName } }: { readonly of: AuditEvent }): VNode {
  const text = [targetType, targetName ?? targetId].filter((part) => part !== null).join(' ');
  if (targetType === null || targetId === null) return <>{text}</>;
  return (
    <Link to={`/admin/audit${queryOf({ target: targetType, target_id: targetId })}`}>{text}</Link>
  );
}

/** By name, which also puts `from` before `to`. */
const detailsOf = ({ details }: AuditEvent): string =>
  Object.entries(details)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

const parametersOf = (filters: AuditFiltersDto) => ({
  author: filters.author,
  action: filters.action,
  target: filters.target,
  target_id: filters.target_id,
  address: filters.address,
  from: timeOf(filters.from),
  to: timeOf(filters.to),
});

/** The entries of the audit log, and a form that selects some. */
export function auditPage(filters: AuditFiltersDto, events: ListPage<AuditEvent>): WebPage {
  const { author, action, target, target_id, address, from, to } = parametersOf(filters);
  const addressOf = (page: number) =>
    `/admin/audit${queryOf({ ...parametersOf(filters), page, per_page: events.perPage })}`;
  return consolePage({
    title: 'Audit log',
    section: '/admin/audit',
    children: (
      <>
        <GetForm action="/admin/audit" class="inline">
          <Field label="Author" name="author" value={author} />
          <Choice name="action" label="Action" values={AUDIT_ACTIONS} chosen={action} />
          <Choice name="target" label="Target" values={AUDIT_TARGETS} chosen={target} />
          <Field label="Its ID" name="target_id" value={target_id} isNumber />
          <Field label="Address" name="address" value={address} />
          <Field label="From (UTC)" name="from" value={from} isTime />
          <Field label="To (UTC)" name="to" value={to} isTime />
          <button type="submit">Show</button>
        </GetForm>
        <DataTable
          label="Audit log, the newest first"
          columns={COLUMNS}
          rows={events.items}
          empty="No entry."
        />
        <Pager
          newer={events.page > 1 ? addressOf(events.page - 1) : undefined}
          older={events.hasNext ? addressOf(events.page + 1) : undefined}
        />
      </>
    ),
  });
}
