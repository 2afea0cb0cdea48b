const PREFIX = 'merge_request.';

/** What push options ask of the merge requests of the pushed branches (docs/reference/git.md#push-options). */
export interface RequestedByPush {
  /** Whether to open a request for a branch without one. */
  create: boolean;
  /** The target branch. */
  target?: string;
  title?: string;
  description?: string;
  /** The title of a milestone of the target project. */
  milestone?: string;
  draft: boolean;
  removeSourceBranch: boolean;
  mergeWhenBuildSucceeds: boolean;
  addLabels: string[];
  removeLabels: string[];
  /** User names. */
  assignees: string[];
}

/** Reads push options; null where none is of merge requests. Unknown options are ignored, and the last of several values holds. */
export function requestedByPush(options: readonly string[]): RequestedByPush | null {
  const own = options.filter((option) => option.startsWith(PREFIX));
  if (own.length === 0) return null;
  const requested: RequestedByPush = {
    create: false,
    draft: false,
    removeSourceBranch: false,
    mergeWhenBuildSucceeds: false,
    addLabels: [],
    removeLabels: [],
    assignees: [],
  };
  for (const option of own) {
    const [key = '', ...rest] = option.slice(PREFIX.length).split('=');
    read(requested, key, rest.join('='));
  }
  return requested;
}

function read(requested: RequestedByPush, key: string, value: string): void {
  switch (key) {
    case 'create':
    case 'draft':
      requested[key] = true;
      break;
    case 'remove_source_branch':
      requested.removeSourceBranch = true;
      break;
    case 'merge_when_pipeline_succeeds':
      requested.mergeWhenBuildSucceeds = true;
      break;
    case 'target':
    case 'title':
    case 'milestone':
      requested[key] = value;
      break;
    case 'description':
      // An option is one line.
      requested.description = value.replaceAll('\\n', '\n');
      break;
    case 'label':
      requested.addLabels.push(value);
      break;
    case 'unlabel':
      requested.removeLabels.push(value);
      break;
    case 'assign':
      requested.assignees.push(value.replace(/^@/, ''));
      break;
  }
}
