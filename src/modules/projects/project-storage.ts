import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Git, type Repository } from '../../git/index.js';
import { Config } from '../../platform/config/index.js';

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
    this.roots = new Map([['default', path.join(config.dataDir, 'repositories')]]);
  }

  async onModuleInit(): Promise<void> {
    for (const root of this.roots.values()) await mkdir(root, { recursive: true });
  }

  path({ id, storage }: StoredProject): string {
    const root = this.roots.get(storage);
    if (root === undefined) throw new Error(`No storage is configured under the name ${storage}`);
    const hash = createHash('sha256').update(String(id)).digest('hex');
    return path.join(root, '@hashed', hash.slice(0, 2), hash.slice(2, 4), `${String(id)}.git`);
  }

  repository(project: StoredProject): Repository {
    return this.git.repository(this.path(project));
  }

  create(project: StoredProject): Promise<void> {
    return this.git.createRepository(this.path(project));
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
