import { ApiFace, pageHeaders, SUFFIX } from '../platform/http/index.js';

const VERBS_AFTER_SHA = new Set(['diff', 'comments', 'statuses', 'blob', 'cherry_pick', 'builds']);
const VERBS_AFTER_NAME = new Set(['protect', 'unprotect', 'release']);
const NAMED_LAST = /\/(?:branches|tags)\/(.+)$/;
const SHA_LAST = /\/(?:commits|raw_blobs|blobs|statuses)\/(.+)$/;
const FILE_LAST = /\/uploads\/.+$/;

/** Version 3, at `/api/v3`. */
export const V3 = new ApiFace({
  name: 'v3',
  document: 'openapi.json',
  statusOf: (verb, profile) => (verb === 'POST' && profile === 'gitlab' ? 201 : 200),
  refusesUnknownTokens: false,
  pageHeaders,
  isSuffixOfValue(path, verb) {
    if (FILE_LAST.test(path)) return true;
    const name = NAMED_LAST.exec(path)?.[1];
    if (name !== undefined) return verb === 'GET' || !endsInVerb(name, VERBS_AFTER_NAME);
    const sha = SHA_LAST.exec(path)?.[1];
    return sha !== undefined && !endsInVerb(sha, VERBS_AFTER_SHA);
  },
  oldPaths: [
    {
      old: 'projects/:id/merge_request',
      now: 'projects/:id/merge_requests',
      listed: ['merge', 'cancel_merge_when_build_succeeds', 'closes_issues'],
    },
    { old: 'projects/:id/keys', now: 'projects/:id/deploy_keys' },
  ],
  unrouted: [
    // GitLab has it, this service does not.
    /^projects\/[^/]+\/repository\/commits\/.+\/builds$/,
    // A user is addressed by number, in digits that may be escaped (`%30` to `%39`).
    /^users\/[^/]*?(?:[^\d%/]|%(?!3\d))/,
  ],
});

function endsInVerb(rest: string, verbs: ReadonlySet<string>): boolean {
  const last = rest.lastIndexOf('/');
  return last > 0 && verbs.has(rest.slice(last + 1, -SUFFIX.length));
}

/**
 * Makes a class a controller of version 3.
 * @param path relative to `/api/v3`
 * @param operations begins the ids of its operations in the interface document
 */
export const V3Controller = (path: string, operations: string): ClassDecorator =>
  V3.controller(path, operations);
