import { Injectable } from '@nestjs/common';
import { UserPresenter } from '../../users/index.js';
import { EventTargets } from './event-targets.js';
import type { EventView } from './event.view.js';
import type { DescribedEvent } from './feeds.service.js';
import { presentNote } from './note.presenter.js';
import { presentPushData, type RecordedPush } from './push-data.js';

@Injectable()
export class EventPresenter {
  constructor(
    private readonly users: UserPresenter,
    private readonly targets: EventTargets,
  ) {}

  present({ event, author, target, noteAuthor }: DescribedEvent): EventView {
    const { id, username } = author;
    const note = target?.note;
    return {
      title: null,
      project_id: event.projectId,
      action_name: event.action,
      target_id: event.targetId,
      target_type: event.targetType && this.targets.nameOf(event.targetType),
      target_title: target?.title ?? null,
      author_id: id,
      author_username: username,
      author: this.users.summary(author),
      data: event.data && presentPushData(event.data as RecordedPush, author),
      created_at: event.createdAt,
      ...(note && noteAuthor ? { note: presentNote(note, this.users.summary(noteAuthor)) } : {}),
    };
  }
}
