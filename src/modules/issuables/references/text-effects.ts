import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../access/index.js';
import type { User } from '../../users/index.js';
import type { Issuable } from '../issuable.js';
import { Mentions } from '../mentions/mentions.js';
import { CrossReferences } from './cross-references.js';
import { ReferenceReader } from './reference-reader.js';
import { ReferencedIssuables } from './referenced-issuables.js';

/** A text that somebody has written, or written anew. */
export interface WrittenText {
  /** What it belongs to. */
  readonly target: Issuable;
  readonly project: ProjectRef;
  readonly actor: Pick<User, 'id' | 'admin' | 'external'>;
  /** Title and description, or the body of the note. */
  readonly texts: readonly string[];
  /** The note, where the text is one. */
  readonly note?: { readonly id: number } | undefined;
  /** What the texts were: the same ones have no effects again. */
  readonly before?: readonly string[] | undefined;
}

/**
 * What texts do to others: they mention users, issues and merge requests
 * (docs/reference/references.md).
 */
@Injectable()
export class TextEffects {
  constructor(
    private readonly reader: ReferenceReader,
    private readonly mentions: Mentions,
    private readonly referenced: ReferencedIssuables,
    private readonly crossReferences: CrossReferences,
  ) {}

  /**
   * Remembers who is mentioned and raises their todos, and tells what is referred to as far as the
   * actor may read it; in the caller's unit of work, after the actor's own todos are finished.
   */
  async run({ target, project, actor, texts, note, before }: WrittenText): Promise<void> {
    if (before?.join('\0') === texts.join('\0')) return;
    // Each is a document of its own: a fence that one leaves open does not hide the next.
    const read = await this.reader.read(texts);
    const mentions = [...new Set(read.flatMap((one) => one.mentions))];
    const isEdited = before !== undefined;
    const text = { target, project, authorId: actor.id, noteId: note?.id, isEdited };
    if (isEdited || mentions.length > 0) await this.mentions.record(text, mentions);
    const found = await this.referenced.find(
      read.flatMap(({ issuables }) => issuables),
      project,
      actor,
    );
    if (found.length === 0) return;
    await this.crossReferences.write({ issuable: target }, project, actor.id, found);
  }
}
