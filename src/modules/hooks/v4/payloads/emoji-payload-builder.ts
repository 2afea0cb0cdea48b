import { Injectable } from '@nestjs/common';
import type { EmojiAwarded } from '../../../issuables/index.js';
import type { PayloadProject } from '../../../projects/index.js';
import { authorOf, type User } from '../../../users/index.js';
import { PayloadsRepository } from '../../payloads/payloads.repository.js';
import { V4NotePayloadBuilder } from './note-payload-builder.js';
import { formatTime, V4SharedObjects } from './shared-objects.js';

/** The attributes of what was awarded an emoji, under the name of its kind. */
interface AwardedObjects {
  readonly note?: { readonly url: string };
  readonly issue?: { readonly confidential: boolean; readonly url: string };
  readonly merge_request?: { readonly url: string };
}

/** Builds the payloads of emoji. See docs/reference/v4-hooks.md#emoji. */
@Injectable()
export class V4EmojiPayloadBuilder {
  constructor(
    private readonly payloads: PayloadsRepository,
    private readonly notes: V4NotePayloadBuilder,
    private readonly objects: V4SharedObjects,
  ) {}

  /** Null for emoji on confidential issues and the notes on them, and when their objects no longer exist. */
  async buildEmoji(event: EmojiAwarded): Promise<object | null> {
    const { projectId, userId, award, awardable, action } = event;
    const project = await this.objects.findProject(projectId);
    if (project === null) return null;
    const user = authorOf(await this.objects.findUsers([userId]), userId);
    const awarded = await this.findAwarded(event, project, user);
    if (awarded === null || awarded.issue?.confidential === true) return null;
    const { url } = awarded.note ?? awarded.issue ?? awarded.merge_request ?? {};
    return {
      object_kind: 'emoji',
      event_type: action,
      user: this.objects.user(user),
      project_id: projectId,
      project: this.objects.project(project),
      object_attributes: {
        user_id: userId,
        created_at: formatTime(award.createdAt),
        id: award.id,
        name: award.name,
        awardable_type: awardable.type,
        awardable_id: awardable.id,
        updated_at: formatTime(award.updatedAt),
        action,
        awarded_on_url: url,
      },
      ...awarded,
    };
  }

  private async findAwarded(
    { projectId, awardable: { type, id } }: EmojiAwarded,
    project: PayloadProject,
    user: User,
  ): Promise<AwardedObjects | null> {
    if (type === 'Note') return this.notes.findNote(projectId, id, user.id);
    const found = await this.notes.findNoteable({ type, id }, project, user);
    return found && found.object;
  }
}
