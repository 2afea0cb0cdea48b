import { Injectable } from '@nestjs/common';
import type { PushPayload } from '../../repository/index.js';
import type { HookKind } from '../hook-kinds.js';
import { CommitFiles } from './commit-files.js';

/** What was recorded of an event when it happened. */
export interface RecordedEvent {
  readonly kind: HookKind;
  readonly facts: object;
}

/** Whether all that is sent is known when an event of this kind happens. */
export const isKnownAtOnce = (kind: HookKind): boolean => kind !== 'push' && kind !== 'tag_push';

/**
 * Makes of what was recorded what is sent. All is recorded but the files of pushed commits: these never
 * change, and whoever pushes need not wait for them.
 */
@Injectable()
export class HookBodies {
  constructor(private readonly files: CommitFiles) {}

  /** The body of the request, to be sent the same every time. */
  async of({ kind, facts }: RecordedEvent): Promise<string> {
    if (isKnownAtOnce(kind)) return JSON.stringify(facts);
    const { project_id: projectId, commits } = facts as PushPayload;
    return JSON.stringify({ ...facts, commits: await this.files.describe(projectId, commits) });
  }
}
