import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  REFERENCE_CHARACTERS_PER_REQUEST,
  REFERENCE_CHARACTERS_PER_TEXT,
  UPLOADS_PER_MOVE,
} from '../../../platform/limits/index.js';
import type { ProjectRef } from '../../access/index.js';
import { expandReferences } from '../../issuables/index.js';
import { UploadsService } from '../../projects/index.js';
import { linkedUploads, relinked, uploadLink } from './upload-links.js';

/** Makes texts of an issue that moves mean in the new project what they meant in the old one. */
@Injectable()
export class MovedTexts {
  constructor(private readonly uploads: UploadsService) {}

  /**
   * Answers what rewrites the texts of one move, one after the other, and copies the files that they link
   * to. Once the budgets are used up, references and links stay as they are. Other work of the process has
   * its turn between two texts.
   * @throws DomainError (the rewriter) not found when the new project goes away meanwhile; storage limit
   */
  rewriter(from: ProjectRef, to: ProjectRef): (text: string) => Promise<string> {
    const links = new Map<string, string | null>();
    let left = REFERENCE_CHARACTERS_PER_REQUEST;
    return async (text) => {
      await this.copyUploads(text, from, to, links);
      const moved = relinked(text, links);
      left -= Math.min(moved.length, REFERENCE_CHARACTERS_PER_TEXT);
      if (left < 0) return moved;
      await nextTurn();
      return expandReferences(moved, from, to);
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
