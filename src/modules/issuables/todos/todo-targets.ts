import { Injectable } from '@nestjs/common';
import type { User } from '../../users/index.js';
import type { Issuable, IssuableKind } from '../issuable.js';
import { IssuableKinds } from '../issuable-kinds.js';
import type { Todo } from './todo.entity.js';

/** What a todo is for, and how the API shows it. */
export interface PresentedTarget {
  kind: IssuableKind;
  issuable: Issuable;
  view: object;
}

/** Finds what todos are for. */
@Injectable()
export class TodoTargets {
  constructor(private readonly kinds: IssuableKinds) {}

  /** Answers null for what is gone; a constant number of statements for each kind. */
  async of(todos: readonly Todo[], reader: User): Promise<(todo: Todo) => PresentedTarget | null> {
    const found = new Map<string, PresentedTarget>();
    for (const kind of this.kinds.all) {
      const ids = todos.filter((todo) => todo.targetType === kind.type).map((t) => t.targetId);
      if (ids.length === 0) continue;
      const issuables = await kind.find([...new Set(ids)]);
      const views = await kind.present([...issuables.keys()], reader);
      for (const [id, issuable] of issuables) {
        const view = views.get(id);
        if (view !== undefined) found.set(keyOf(kind.type, id), { kind, issuable, view });
      }
    }
    return ({ targetType, targetId }) => found.get(keyOf(targetType, targetId)) ?? null;
  }
}

const keyOf = (type: string, id: number): string => `${type} ${String(id)}`;
