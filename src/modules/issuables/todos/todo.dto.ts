import { IdParam, PageQuery, StringParam } from '../../../platform/http/index.js';
import { TODO_ACTIONS, type TodoState } from './todo.entity.js';
import type { TodoFilter } from './todos.repository.js';

const STATES: readonly TodoState[] = ['pending', 'done'];
const TYPES = ['Issue', 'MergeRequest'] as const;

/** `GET /todos` and `DELETE /todos`: values that mean nothing are no filter. */
export class FilterTodosDto extends PageQuery {
  @StringParam({ description: '`pending` or `done`; anything else is `pending`.' })
  state?: string;

  @StringParam({
    description: '`assigned`, `mentioned`, `build_failed` or `marked`; anything else is no filter.',
  })
  action?: string;

  @IdParam({ description: 'Who caused them.' })
  author_id?: number;

  @IdParam()
  project_id?: number;

  @StringParam({ description: '`Issue` or `MergeRequest`; anything else is no filter.' })
  type?: string;
}

export function toTodoFilter(query: FilterTodosDto): TodoFilter {
  return {
    state: oneOf(STATES, query.state) ?? 'pending',
    action: oneOf(TODO_ACTIONS, query.action),
    authorId: query.author_id,
    projectId: query.project_id,
    type: oneOf(TYPES, query.type),
  };
}

function oneOf<V extends string>(values: readonly V[], value: string | undefined): V | undefined {
  return values.find((known) => known === value);
}
