import type { VNode } from 'preact';
import type { ProjectWithRelations } from '../../../projects/index.js';
import { Link } from '../../html/components.js';
import type { WebPage } from '../../html/page-sender.js';
import { ProjectList } from '../parts/project-list.js';

/** What signed-in readers see besides. */
interface OwnStart {
  readonly version: string;
  /** Those that the reader is a member of, the newest first. */
  readonly projects: readonly ProjectWithRelations[];
  /** Whether there are more than `projects`. */
  readonly hasMore: boolean;
}

/** @param own null for anonymous readers */
export const startPage = (own: OwnStart | null): WebPage => ({
  title: 'Trellis',
  content: <Start own={own} />,
});

function Start({ own }: { readonly own: OwnStart | null }): VNode {
  return (
    <>
      <h1>Trellis</h1>
      <p>
        Self-hosted project hosting: Git repositories, groups, issues, merge requests and hooks
        behind one JSON API.
      </p>
      {own === null ? (
        <p>
          <Link to="/-/sign_in" class="button">
            Sign in
          </Link>
        </p>
      ) : (
        <>
          <p class="muted">Version {own.version}</p>
          <h2>Your projects</h2>
          <ProjectList projects={own.projects} hasMore={own.hasMore} />
        </>
      )}
      <h2>Documents</h2>
      <ul>
        <li>
          <Link to="/help">Guides</Link>: first steps, operating, troubleshooting, with a search
        </li>
        <li>
          <Link to="/help/reference">API reference</Link>: all calls, with examples for curl
        </li>
        <li>
          <Link to="/api/v3/docs">API explorer</Link>: the same calls, to try from the browser
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
