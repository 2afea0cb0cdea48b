import { Injectable } from '@nestjs/common';
import { UserPresenter } from '../../users/index.js';
import type { EventView, PushDataView } from './event.view.js';
import type { AuthoredEvent } from './feeds.service.js';

@Injectable()
export class EventPresenter {
  constructor(private readonly users: UserPresenter) {}

  present({ event, author }: AuthoredEvent): EventView {
    const { id, name, username } = author;
    return {
      title: null,
      project_id: event.projectId,
      action_name: event.action,
      target_id: event.targetId,
      target_type: event.targetType,
      target_title: null,
      author_id: id,
      author_username: username,
      author: this.users.summary(author),
      // Who pushed is told as the account is now: of a deleted one no name remains.
      data: event.data && { ...(event.data as PushDataView), user_id: id, user_name: name },
      created_at: event.createdAt,
    };
  }
}
