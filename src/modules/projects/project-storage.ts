import { randomInt } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Git, type Repository } from '../../git/index.js';
import { Config } from '../../platform/config/index.js';
import { hashedFolder } from './hashed-folders.js';

export interface StoredProject {
  id: number;
  storage: string;
}

/**
 * Where repositories lie: `<root>/@hashed/ab/cd/<id>.git`, the folders taken from a hash of the ID,
 * so that no folder grows too large and none moves when a project is renamed.
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
   * One of the storages that new projects may go to, at random
   * (docs/reference/settings.md#storages). A name that is no longer configured is passed over;
   * `default` is what remains when none is left.
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

  /** @param branch the one HEAD stands for until there is a commit; null is `master` */
  create(project: StoredProject, branch: string | null = null): Promise<void> {
    return this.git.createRepository(
      this.path(project),
      branch === null ? {} : { defaultBranch: branch },
    );
  }

  /** Safe to repeat: an absent repository is fine. */
  remove(project: StoredProject): Promise<void> {
    return this.git.removeRepository(this.path(project));
  }

  /** Deletes what a process left in a folder of repositories while making or removing one. */
  async removeLeftovers(folder: string): Promise<void> {
    await this.git.removeLeftovers(folder);
  }

  /** Rejects when a storage root cannot be written to. */
  async check(): Promise<void> {
    for (const root of this.roots.values()) await access(root, constants.R_OK | constants.W_OK);
  }

  /** The storage roots, by name. */
  get storages(): ReadonlyMap<string, string> {
    return this.roots;
  }
}
