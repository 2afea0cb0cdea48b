import { Injectable } from '@nestjs/common';
import { runPaced } from '../../../platform/async/index.js';
import {
  REFERENCE_CHARACTERS_PER_REQUEST,
  REFERENCE_CHARACTERS_PER_TEXT,
  REFERENCES_MADE_FULL_PER_TEXT,
  UPLOADS_PER_MOVE,
} from '../../../platform/limits/index.js';
import type { ProjectRef } from '../../access/index.js';
import { expandReferences, type MovableText, withMoved } from '../../issuables/index.js';
import { UploadsService } from '../../projects/index.js';
import { linkedUploads, relinked, uploadLink } from './upload-links.js';

/** Makes texts of an issue that moves mean in the new project what they meant in the old one. */
@Injectable()
export class MovedTexts {
  constructor(private readonly uploads: UploadsService) {}

  /**
   * Answers what rewrites the texts of one move, one after the other, and copies the files that they link
   * to. Once the budgets are used up, references and links stay as they are. Each text is a paced step.
   * @throws DomainError (the rewriter) not found when the new project goes away meanwhile; storage limit
   */
  rewriter(from: ProjectRef, to: ProjectRef): (text: MovableText) => Promise<MovableText> {
    const links = new Map<string, string | null>();
    let left = REFERENCE_CHARACTERS_PER_REQUEST;
    return async ({ text, moved: before }) => {
      await this.copyUploads(text, from, to, links);
      // A copy has a link of the same length, so that references stay where they are.
      const linked = relinked(text, links);
      left -= Math.min(linked.length, REFERENCE_CHARACTERS_PER_TEXT);
      if (left < 0) return { text: linked, moved: before };
      const full = (before ?? []).reduce((sum, { at }) => sum + at.length, 0);
      const most = Math.max(0, REFERENCES_MADE_FULL_PER_TEXT - full);
      const expanded = await runPaced(() => expandReferences(linked, from, to, most));
      return { text: expanded.text, moved: withMoved(before, from.id, expanded.added) };
    };
  }

  private async copyUploads(
    text: string,
    from: ProjectRef,
    to: ProjectRef,
    links: Map<string, string | null>,
  ): Promise<void> {
    if (!text.includes('/uploads/')) return;
    for (const upload of linkedUploads([text])) {
      const link = uploadLink(upload);
      if (links.has(link)) continue;
      if (links.size >= UPLOADS_PER_MOVE) return;
      const copy = await this.uploads.copy(upload, from.id, to);
      links.set(link, copy && uploadLink(copy));
    }
  }
}
