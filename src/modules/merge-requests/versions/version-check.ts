import { Injectable } from '@nestjs/common';
import type { Oid, Repository } from '../../../git/index.js';
import type { MaintainedProject } from '../../projects/index.js';
import type { Flaw } from '../../repository/index.js';
import { ProjectStorage, PushLock } from '../../storage/index.js';
import { type KeptVersion, VersionsRepository } from './versions.repository.js';

/** Versions of one statement. */
const BATCH = 1_000;

/** Compares the merge requests of a project with its repository. */
@Injectable()
export class VersionCheck {
  constructor(
    private readonly versions: VersionsRepository,
    private readonly storage: ProjectStorage,
    private readonly pushLock: PushLock,
  ) {}

  /**
   * Checks that the commits of all versions and merges are there, and are kept by refs
   * (docs/decisions/0025-diff-versions.md).
   * @param repairs whether missing `refs/keep-around/` are made, under the push lock
   * @throws RepositoryMissingError
   */
  async check(
    project: MaintainedProject,
    { repairs, signal }: { repairs: boolean; signal?: AbortSignal },
  ): Promise<Flaw[]> {
    const repository = this.storage.repository(project);
    const flaws: Flaw[] = [];
    for (let after: number | null = 0; after !== null;) {
      signal?.throwIfAborted();
      const batch: KeptVersion[] = await this.versions.listOfProject(project.id, after, BATCH);
      flaws.push(...(await this.checkBatch(repository, project, batch, repairs)));
      after = batch.length < BATCH ? null : (batch.at(-1)?.id ?? null);
    }
    return flaws;
  }

  private async checkBatch(
    repository: Repository,
    project: MaintainedProject,
    batch: readonly KeptVersion[],
    repairs: boolean,
  ): Promise<Flaw[]> {
    const all = [...new Set(batch.flatMap(({ kept, others }) => [...kept, ...others]))];
    const missing = new Set(await repository.objects.findMissing(all));
    const kept = [...new Set(batch.flatMap((version) => version.kept))];
    const unkept = await repository.findUnkept(kept.filter((commit) => !missing.has(commit)));
    if (repairs && unkept.length > 0) {
      const claim = { projectIds: [project.id], userId: null };
      await this.pushLock.hold(claim, () => repository.keepAround(unkept));
    }
    const state = repairs ? 'repaired' : 'found';
    return [
      ...describe(batch, missing).map((detail): Flaw => ({
        name: 'merge-request',
        detail,
        state: 'found',
      })),
      ...unkept.map((commit): Flaw => {
        return { name: 'keep-around', detail: `commit ${commit} is not kept by a ref`, state };
      }),
    ];
  }
}

/** Names each missing commit once, with the first merge request that needs it. */
function describe(batch: readonly KeptVersion[], missing: ReadonlySet<Oid>): string[] {
  const firstOf = new Map<Oid, number>();
  for (const { iid, kept, others } of batch) {
    for (const commit of [...kept, ...others]) {
      if (missing.has(commit) && !firstOf.has(commit)) firstOf.set(commit, iid);
    }
  }
  return [...firstOf].map(
    ([commit, iid]) => `commit ${commit} of merge request !${iid} is missing`,
  );
}
