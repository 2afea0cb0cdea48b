import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  Git,
  GitBusyError,
  type RecordedRefs,
  type Repository,
  type RepositoryOptions,
  type WorkClient,
} from '../../../git/index.js';
import { Config } from '../../../platform/config/index.js';
import { clientNetwork, type SlotCaller } from '../../../platform/limits/index.js';
import { repositoryFolder } from './hashed-folders.js';
import { RefMovesRepository } from './ref-moves.repository.js';

/** What determines the path of a project's repository. */
export interface StoredProject {
  id: number;
  storage: string;
  /** The version of the branches and tags that the reader has to see at least. Absent: that of the files. */
  refsVersion?: number;
  /** The branch that HEAD means; null if there is none yet. Absent: that of the files, which follow later. */
  defaultBranch?: string | null;
  /** The client that waits for what git does. Absent: none. */
  client?: SlotCaller | undefined;
}

/** A project with the version of its branches and tags that was read with it. */
type RecordedProject = StoredProject &
  Required<Pick<StoredProject, 'refsVersion' | 'defaultBranch'>>;

/**
 * Creates, opens and removes the repositories of projects, at `<root>/@hashed/ab/cd/<id>.git`
 * (docs/decisions/0014-repository-paths.md).
 */
@Injectable()
export class ProjectStorage implements OnModuleInit {
  constructor(
    private readonly git: Git,
    private readonly refMoves: RefMovesRepository,
    private readonly config: Config,
  ) {}

  async onModuleInit(): Promise<void> {
    for (const root of this.storages.values()) await mkdir(root, { recursive: true });
  }

  /**
   * Chooses a storage for a new project at random (docs/reference/settings.md#storages). Skips names that
   * are no longer configured; `default` when none is left.
   * @param names the instance's `repository_storages`
   */
  choose(names: readonly string[]): string {
    const configured = names.filter((name) => this.storages.has(name));
    return configured[randomInt(Math.max(configured.length, 1))] ?? 'default';
  }

  path({ id, storage }: StoredProject): string {
    const root = this.storages.get(storage);
    if (root === undefined) throw new Error(`No storage is configured under the name ${storage}`);
    return repositoryFolder(root, id);
  }

  /** Opens a repository whose branches and tags are read from its files. */
  repository(project: StoredProject): Repository {
    return this.git.repository(this.path(project), this.optionsFor(project));
  }

  /**
   * Opens a repository for requests that read: its branches and tags are those of the version that was read with the
   * project, or later ones. What git changes by hand is seen within a second.
   */
  snapshot(project: RecordedProject): Repository {
    const options = { ...this.optionsFor(project), usesSnapshot: true };
    return this.git.repository(this.path(project), options);
  }

  private optionsFor(project: StoredProject): RepositoryOptions {
    const { id, storage, refsVersion: version, defaultBranch: head } = project;
    const client = project.client && workClient(project.client);
    if (version === undefined) return { storage, head, client };
    const findRecorded = () => this.refMoves.findRecorded(id, version);
    const noteShown = (recorded: RecordedRefs) => this.refMoves.noteShown(id, recorded);
    return { storage, head, client, known: { version, findRecorded, noteShown } };
  }

  /**
   * Creates an empty repository.
   * @param branch the target of HEAD until there is a commit; null is `master`
   */
  create(project: StoredProject, branch: string | null = null): Promise<void> {
    return this.git.createRepository(
      this.path(project),
      branch === null ? {} : { defaultBranch: branch },
    );
  }

  /**
   * Removes a repository if there is one.
   * @returns false while housekeeping works in it, which goes on
   */
  async remove(project: StoredProject): Promise<boolean> {
    try {
      await this.git.removeRepository(this.path(project));
      return true;
    } catch (error) {
      if (error instanceof GitBusyError) return false;
      throw error;
    }
  }

  /** Deletes what a process that died while creating or removing a repository left in a folder. */
  async removeLeftovers(folder: string): Promise<void> {
    await this.git.removeLeftovers(folder);
  }

  /** The storage roots, by name. */
  get storages(): ReadonlyMap<string, string> {
    return this.config.storages;
  }
}

function workClient({ address, userId }: SlotCaller): WorkClient {
  return { network: clientNetwork(address), userId: userId ?? null };
}
