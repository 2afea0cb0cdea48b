import type { ComponentChildren, VNode } from 'preact';
import { redactUrl } from '../../../platform/observability/index.js';
import {
  DELIVERY_STATES,
  type DeliveryPage,
  type DeliveryState,
  type InstanceDelivery,
  type InstanceDeliveryDetail,
} from '../../hooks/index.js';
import { GetForm, Link, type WebPage, PostForm, Time } from '../../web/index.js';
import { consolePage } from '../html/console-page.js';
import { Choice, Field, timeOf } from '../html/forms.js';
import { excerpt, formatCount, formatMs } from '../html/formats.js';
import { type Column, DataTable, Pager, queryOf, TextBlock } from '../html/tables.js';
import { type DeliveryFiltersDto, formatPosition, KINDS } from './delivery-filters.dto.js';

const TONES: Readonly<Record<DeliveryState, string>> = {
  pending: 'badge warn',
  delivered: 'badge good',
  failed: 'badge bad',
};

const State = ({ of: { state } }: { of: InstanceDelivery }): VNode => (
  <span class={TONES[state]}>{state}</span>
);

/** The answer of the receiver in a word, or why there was none. */
const resultOf = ({ responseStatus, cause, message }: InstanceDelivery): string => {
  if (cause === null) return responseStatus === null ? '' : String(responseStatus);
  return `${cause}: ${excerpt(message ?? '', 100)}`;
};

const Receiver = ({ of: { hookId, projectPath, url } }: { of: InstanceDelivery }): VNode => (
  <>
    <Link to={`/admin/deliveries${queryOf({ hook: hookId })}`}>Hook {hookId}</Link>{' '}
    {projectPath === null ? 'of the instance' : <Link to={`/${projectPath}`}>{projectPath}</Link>}
    <br />
    <span class="muted">{excerpt(redactUrl(url), 80)}</span>
  </>
);

const COLUMNS: readonly Column<InstanceDelivery>[] = [
  {
    title: 'Event',
    cell: ({ id, kind }) => (
      <Link to={`/admin/deliveries/${id}`}>
        {kind} {id}
      </Link>
    ),
  },
  { title: 'State', cell: (each) => <State of={each} /> },
  { title: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Receiver', cell: (each) => <Receiver of={each} /> },
  { title: 'Attempts', isNumber: true, cell: ({ attempts }) => formatCount(attempts) },
  { title: 'Answer', cell: (each) => <span class="long">{resultOf(each)}</span> },
];

/** The deliveries of all hooks, and a form that selects some. */
export function deliveriesPage(
  filters: DeliveryFiltersDto,
  { deliveries, next }: DeliveryPage,
): WebPage {
  const address = (after: string | undefined) =>
    `/admin/deliveries${queryOf({ ...parametersOf(filters), after })}`;
  return consolePage({
    title: 'Deliveries',
    section: '/admin/deliveries',
    children: (
      <>
        <Filters filters={filters} />
        <DataTable
          label="Deliveries, the newest first"
          columns={COLUMNS}
          rows={deliveries}
          empty="No delivery of the last thirty days."
        />
        <Pager
          newer={filters.after === undefined ? undefined : address(undefined)}
          newerText="Newest"
          older={next === null ? undefined : address(formatPosition(next))}
        />
      </>
    ),
  });
}

const parametersOf = ({ state, event, hook, project, from, to }: DeliveryFiltersDto) => ({
  state,
  event,
  hook,
  project,
  from: timeOf(from),
  to: timeOf(to),
});

function Filters({ filters }: { readonly filters: DeliveryFiltersDto }): VNode {
  const { state, event, hook, project, from, to } = parametersOf(filters);
  return (
    <GetForm action="/admin/deliveries" class="inline">
      <Choice name="state" label="State" values={DELIVERY_STATES} chosen={state} />
      <Choice name="event" label="Event" values={KINDS} chosen={event} />
      <Field label="Hook" name="hook" value={hook} isNumber />
      <Field label="Project" name="project" value={project} placeholder="crew/tour" />
      <Field label="From (UTC)" name="from" value={from} isTime />
      <Field label="To (UTC)" name="to" value={to} isTime />
      <button type="submit">Show</button>
    </GetForm>
  );
}

/** A delivery with the request and the answer of its last attempt. */
export function deliveryPage(delivery: InstanceDeliveryDetail, notice?: string): WebPage {
  const { id, kind, turn } = delivery;
  return consolePage({
    title: `Delivery ${id}: ${kind}`,
    section: '/admin/deliveries',
    notice,
    children: (
      <>
        <Fields of={delivery} />
        <PostForm action={`/admin/deliveries/${id}/redeliver`}>
          <input type="hidden" name="turn" value={turn} />
          <button type="submit">Redeliver</button>
        </PostForm>
        <p class="muted">
          It is sent again with the same ID and content, and all its attempts; a disabled hook is
          enabled.
        </p>
        <h2>Request</h2>
        <Headers label="Headers of the request" headers={delivery.requestHeaders} />
        <RequestBody of={delivery} />
        <h2>Answer</h2>
        <Headers label="Headers of the answer" headers={delivery.responseHeaders} />
        <Body label="Body of the answer" text={delivery.responseBody} />
      </>
    ),
  });
}

function Fields({ of: delivery }: { readonly of: InstanceDeliveryDetail }): VNode {
  const { attempts, disabledReason, durationMs, messageId, responseStatus } = delivery;
  const moments: readonly [string, Date | null][] = [
    ['Event', delivery.createdAt],
    ['Last attempt', delivery.attemptedAt],
    ['Next attempt', delivery.nextAt],
    ['Ended', delivery.finishedAt],
  ];
  return (
    <dl class="fields">
      <Row name="State">
        <State of={delivery} />
        {disabledReason !== null && ` The hook is disabled: ${disabledReason}.`}
      </Row>
      <Row name="Receiver">
        <Receiver of={delivery} />
      </Row>
      <Row name="webhook-id">
        <code>{messageId}</code>
      </Row>
      <Row name="Attempts">{formatCount(attempts)}</Row>
      {moments.map(
        ([name, at]) =>
          at !== null && (
            <Row key={name} name={name}>
              <Time at={at} />
            </Row>
          ),
      )}
      {responseStatus !== null && <Row name="Status of the answer">{responseStatus}</Row>}
      {durationMs !== null && <Row name="Duration">{formatMs(durationMs)}</Row>}
      {delivery.cause !== null && (
        <Row name="Cause">
          {delivery.cause}: {delivery.message}
        </Row>
      )}
    </dl>
  );
}

const Row = ({ name, children }: { name: string; children: ComponentChildren }): VNode => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

/** Headers that may hold a secret of the receiver, or of the hook where an older version stored them. */
const SECRET_HEADER = /^(?:authorization|cookie|set-cookie|webhook-signature)$|token|secret/i;

function Headers(props: {
  readonly label: string;
  readonly headers: Readonly<Record<string, string>> | null;
}): VNode {
  const { label, headers } = props;
  if (headers === null) return <p class="muted">None yet.</p>;
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${SECRET_HEADER.test(name) ? '[redacted]' : value}`,
  );
  return <TextBlock label={label} text={lines.join('\n')} />;
}

function RequestBody({ of }: { readonly of: InstanceDeliveryDetail }): VNode {
  const { requestBody, requestLength } = of;
  const isCut = requestBody !== null && (requestLength ?? 0) > requestBody.length;
  return (
    <>
      <Body label="Body of the request" text={requestBody} />
      {isCut && <p class="muted">The beginning of {formatCount(requestLength ?? 0)} characters.</p>}
    </>
  );
}

function Body({ label, text }: { readonly label: string; readonly text: string | null }): VNode {
  if (text === null || text === '') return <p class="muted">No body.</p>;
  return <TextBlock label={label} text={indented(text)} />;
}

/** Deeper JSON is not indented: receivers choose their answers, and the white space grows with the square of the depth. */
const MAX_DEPTH = 16;

/** JSON with line breaks; other texts, the beginning of long JSON, and deeply nested JSON as they are. */
function indented(text: string): string {
  if (depthOf(text) > MAX_DEPTH) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** How deep brackets are nested outside of strings. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json.charAt(at);
    if (sign === '"') isInString = !isInString;
    else if (isInString) at += sign === '\\' ? 1 : 0;
    else if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
