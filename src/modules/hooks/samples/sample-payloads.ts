import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../access/index.js';
import { PushSamples } from '../../repository/index.js';
import type { ProjectHookKind } from '../hook-kinds.js';
import { PushPayloads } from '../payloads/push-payloads.js';
import { BuildSamples } from './build-samples.js';
import { IssuableSamples } from './issuable-samples.js';

/** What a hook can be tried with: all that it can be told of but wiki pages, of which there are none. */
export const SAMPLE_KINDS = [
  'push',
  'tag_push',
  'issue',
  'note',
  'merge_request',
  'build',
  'pipeline',
] as const satisfies ProjectHookKind[];

export type SampleKind = (typeof SAMPLE_KINDS)[number];

/** Makes payloads of what a project has, as if it had just happened. */
@Injectable()
export class SamplePayloads {
  constructor(
    private readonly pushes: PushSamples,
    private readonly payloads: PushPayloads,
    private readonly issuables: IssuableSamples,
    private readonly builds: BuildSamples,
  ) {}

  /**
   * Null where the project has nothing of that kind.
   * @param userId whose doing it is said to be
   */
  make(kind: SampleKind, project: ProjectRef, userId: number): Promise<object | null> {
    switch (kind) {
      case 'push':
      case 'tag_push':
        return this.push(kind, project, userId);
      case 'issue':
        return this.issuables.issue(project.id, userId);
      case 'merge_request':
        return this.issuables.mergeRequest(project.id, userId);
      case 'note':
        return this.issuables.note(project.id);
      case 'build':
        return this.builds.build(project.id);
      case 'pipeline':
        return this.builds.pipeline(project.id, userId);
    }
  }

  private async push(
    kind: 'push' | 'tag_push',
    project: ProjectRef,
    userId: number,
  ): Promise<object | null> {
    const sample = await this.pushes.make(kind, project, userId);
    if (sample === null) return null;
    const [payload] = await this.payloads.pushed({ projectId: project.id, userId }, [sample]);
    return payload ?? null;
  }
}
