import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Git, type Repository } from '../../../git/index.js';
import { Config } from '../../../platform/config/index.js';
import { hashedFolder } from './hashed-folders.js';

/** What determines the path of a project's repository. */
export interface StoredProject {
  id: number;
  storage: string;
}

/**
 * Creates, opens and removes the repositories of projects, at `<root>/@hashed/ab/cd/<id>.git`
 * (docs/decisions/0014-repository-paths.md).
 */
@Injectable()
export class ProjectStorage implements OnModuleInit {
  private readonly roots: ReadonlyMap<string, string>;

  constructor(
    private readonly git: Git,
    config: Config,
  ) {
    this.roots = config.storages;
  }

  async onModuleInit(): Promise<void> {
    for (const root of this.roots.values()) await mkdir(root, { recursive: true });
  }

  /**
   * Chooses a storage for a new project at random (docs/reference/settings.md#storages). Skips names that
   * are no longer configured; `default` when none is left.
   * @param names the instance's `repository_storages`
   */
  choose(names: readonly string[]): string {
    const configured = names.filter((name) => this.roots.has(name));
    return configured[randomInt(Math.max(configured.length, 1))] ?? 'default';
  }

  path({ id, storage }: StoredProject): string {
    const root = this.roots.get(storage);
    if (root === undefined) throw new Error(`No storage is configured under the name ${storage}`);
    return path.join(hashedFolder(root, id), `${String(id)}.git`);
  }

  repository(project: StoredProject): Repository {
    return this.git.repository(this.path(project));
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

  /** Removes a repository. Does nothing when there is none. */
  remove(project: StoredProject): Promise<void> {
    return this.git.removeRepository(this.path(project));
  }

  /** Deletes what a process that died while creating or removing a repository left in a folder. */
  async removeLeftovers(folder: string): Promise<void> {
    await this.git.removeLeftovers(folder);
  }

  /** The storage roots, by name. */
  get storages(): ReadonlyMap<string, string> {
    return this.roots;
  }
}
