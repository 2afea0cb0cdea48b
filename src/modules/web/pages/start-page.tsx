import type { VNode } from 'preact';
import { Link } from '../html/components.js';
import type { Page } from '../html/page-sender.js';

interface Start {
  /** Undefined for those who may not know it. */
  readonly version: string | undefined;
  readonly isAnonymous: boolean;
}

export const startPage = (start: Start): Page => ({
  title: 'Trellis',
  content: <Start {...start} />,
});

function Start({ version, isAnonymous }: Start): VNode {
  return (
    <>
      <h1>Trellis</h1>
      <p>
        Self-hosted project hosting: Git repositories, groups, issues, merge requests and hooks
        behind one JSON API.
      </p>
      {version !== undefined && <p class="muted">Version {version}</p>}
      {isAnonymous && (
        <p>
          <Link to="/-/sign_in" class="button">
            Sign in
          </Link>
        </p>
      )}
      <h2>The API</h2>
      <ul>
        <li>
          <Link to="/api/v3/docs">API explorer</Link>: all calls, to read and to try
        </li>
        <li>
          <Link to="/api/v3/openapi.json">openapi.json</Link>: the interface document, for tools
        </li>
      </ul>
      <h2>Status</h2>
      <ul>
        <li>
          <Link to="/readyz">Readiness</Link>: whether database, queues and storages answer
        </li>
        <li>
          <Link to="/healthz">Health</Link>: whether the process is up
        </li>
      </ul>
    </>
  );
}
