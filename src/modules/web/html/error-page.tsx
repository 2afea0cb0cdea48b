import type { VNode } from 'preact';
import { STATUS_CODES } from 'node:http';
import { Link } from './components.js';
import type { WebPage } from './page-sender.js';

const EXPLANATIONS: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  401: 'This address needs a credential.',
  403: 'You may not do this.',
  404: 'There is nothing at this address, or you may not see it.',
  405: 'This address does not take such requests.',
  413: 'The form is too large.',
  429: 'There were too many requests. Wait a moment, then try again.',
  503: 'The service cannot answer at the moment. Try again in a few seconds.',
};

/** The page of a failure. */
export function errorPage(status: number, requestId: string): WebPage {
  const title = STATUS_CODES[status] ?? 'Error';
  return { title, content: <ErrorContent status={status} title={title} requestId={requestId} /> };
}

function ErrorContent(props: {
  readonly status: number;
  readonly title: string;
  readonly requestId: string;
}): VNode {
  const { status, title, requestId } = props;
  return (
    <>
      <p class="path">{status}</p>
      <h1>{title}</h1>
      <p>{EXPLANATIONS[status] ?? 'Something went wrong. The log of the service says what.'}</p>
      {status >= 500 && (
        <p class="muted">
          Request <code>{requestId}</code>
        </p>
      )}
      <p>
        <Link to="/">To the start page</Link>
      </p>
    </>
  );
}
