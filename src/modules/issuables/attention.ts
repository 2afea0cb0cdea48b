import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { notModified, recordNotFound } from '../../platform/errors/index.js';
import type { User } from '../users/index.js';
import type { Issuable } from './issuable.js';
import { Subscriptions } from './subscriptions/subscriptions.js';
import { TodoPresenter } from './todos/todo.presenter.js';
import type { TodoView } from './todos/todo.view.js';
import { Todos } from './todos/todos.js';

/** What readers ask for themselves: to hear of an issue or merge request, or to find it on their list. */
@Injectable()
export class Attention {
  constructor(
    private readonly work: UnitOfWork,
    private readonly subscriptions: Subscriptions,
    private readonly todos: Todos,
    private readonly presenter: TodoPresenter,
  ) {}

  /** @throws DomainError not modified when it was so already */
  async subscribe(target: Issuable, caller: User, subscribed: boolean): Promise<void> {
    const isNew = await this.subscriptions.choose(target, caller.id, subscribed);
    if (!isNew) throw notModified();
  }

  /** @throws DomainError not modified when it is pending already; record not found */
  async mark(target: Issuable, caller: User): Promise<TodoView> {
    const todo = await this.work.run(() => this.todos.mark(target, caller));
    if (todo === null) throw notModified();
    const [view] = await this.presenter.present([todo], caller);
    // Its target was deleted at this very moment.
    if (view === undefined) throw recordNotFound();
    return view;
  }
}
