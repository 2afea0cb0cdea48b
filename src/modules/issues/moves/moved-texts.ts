import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { ProjectRef } from '../../access/index.js';
import { expandReferences } from '../../issuables/index.js';
import { ProjectUploads } from '../../projects/index.js';
import type { LocatedIssue } from '../issues.repository.js';
import { linkedUploads, relinked, uploadLink } from './upload-links.js';

/** Makes texts of an issue that moves mean in the new project what they meant in the old one (5.3). */
@Injectable()
export class MovedTexts {
  constructor(
    private readonly database: Database,
    private readonly uploads: ProjectUploads,
  ) {}

  /**
   * Copies the files that the issue and its notes link to, and answers what rewrites their texts.
   * @throws DomainError not found when the new project goes away meanwhile
   */
  async rewriter(
    issue: LocatedIssue,
    from: ProjectRef,
    to: ProjectRef,
  ): Promise<(text: string) => string> {
    const links = await this.copyUploads(issue, from, to);
    return (text) => relinked(expandReferences(text, from, to), links);
  }

  private async copyUploads(
    issue: LocatedIssue,
    from: ProjectRef,
    to: ProjectRef,
  ): Promise<Map<string, string>> {
    const notes = await this.database.rows<{ body: string }>(LINKING_NOTES, [issue.id]);
    const texts = [issue.description ?? '', ...notes.map(({ body }) => body)];
    const links = new Map<string, string>();
    for (const upload of linkedUploads(texts)) {
      const copy = await this.uploads.copy(upload, from.id, to.id);
      if (copy !== null) links.set(uploadLink(upload), uploadLink(copy));
    }
    return links;
  }
}

const LINKING_NOTES = `
  SELECT body FROM notes
   WHERE noteable_type = 'Issue' AND noteable_id = $1 AND body LIKE '%/uploads/%'`;
