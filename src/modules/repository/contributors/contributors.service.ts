import { Injectable } from '@nestjs/common';
import { Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';

/** Counted are the newest ones that are no merges. */
const COUNTED_COMMITS = 2_000;

export interface Contributor {
  name: string;
  email: string;
  commits: number;
}

@Injectable()
export class ContributorsService {
  constructor(private readonly storage: ProjectStorage) {}

  /** Authors of the default branch, told apart by e-mail; who wrote last comes first. */
  async list(project: ProjectRef, request: PageRequest): Promise<Page<Contributor>> {
    const { defaultBranch } = project;
    const repository = this.storage.repository(project);
    const start = defaultBranch === null ? null : await repository.resolveCommit(defaultBranch);
    if (start === null) return Page.of<Contributor>([], request);
    const byEmail = new Map<string, Contributor>();
    const oids = await repository.newestPlain(start, COUNTED_COMMITS);
    for (const commit of await repository.objects.commits(oids)) {
      if (commit === null) continue;
      const { name, email } = commit.author;
      const known = byEmail.get(email);
      if (known) known.commits += 1;
      else byEmail.set(email, { name, email, commits: 1 });
    }
    return Page.of([...byEmail.values()], request);
  }
}
