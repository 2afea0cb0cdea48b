import type { ProjectRef } from '../../authorization/index.js';
import type { HookKind, ProjectHookKind } from '../model/hook.entity.js';

export const SAMPLE_KINDS = [
  'push',
  'tag_push',
  'issue',
  'note',
  'merge_request',
  'build',
  'pipeline',
] as const satisfies readonly ProjectHookKind[];

/** The kinds of test delivery: all but wiki pages, of which there are none. */
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/** Whether payloads of a kind get the files of their commits only when they are delivered. */
export const lacksFiles = (kind: HookKind): boolean => kind === 'push' || kind === 'tag_push';

/** Builds and completes payloads for test deliveries and workers, which do not know what is in them. */
export abstract class HookPayloads {
  /**
   * Builds the payload of the newest push, issue and so on of a project, as if it had just happened.
   * @param userId who acts in the payload
   * @returns null when the project has nothing of that kind
   */
  abstract buildSample(
    kind: SampleKind,
    project: ProjectRef,
    userId: number,
  ): Promise<object | null>;

  /**
   * Adds what git knows to the payload of an event: the files of the commits of a push, the commit that another event is
   * about. Nothing is added for commits that no longer exist.
   * @param projectId of the hook; null for system hooks, and where the repository is not to be asked
   */
  abstract complete(kind: HookKind, payload: object, projectId: number | null): Promise<object>;
}
