import { Body, Delete, Get, Param, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  IdParam,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';
import { describeInParts, type Page } from '../../../../platform/pagination/index.js';
import { Caller, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import type { TodoState } from '../../todos/todo.entity.js';
import { actionsShownAs, TodoPresenter, TodoView } from './todo.view.js';
import type { TodoFilter } from '../../todos/todos.repository.js';
import { TodosService } from '../../todos/todos.service.js';

const STATES: readonly TodoState[] = ['pending', 'done'];
const TYPES = ['Issue', 'MergeRequest'] as const;

/** `GET /todos` and `DELETE /todos`: values that mean nothing are no filter. */
class FilterTodosDto extends PageQuery {
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

@V3Controller('todos', 'Todos')
export class TodosController {
  constructor(
    private readonly todos: TodosService,
    private readonly presenter: TodoPresenter,
  ) {}

  /** The caller's todos, newest first. */
  @Get()
  @Requires('todo:read')
  @AnswersList(TodoView)
  async list(@Caller() caller: User, @Query() query: FilterTodosDto): Promise<Page<TodoView>> {
    const page = await this.todos.list(caller, toTodoFilter(query), query);
    return describeInParts(
      page,
      ({ textBytes }) => textBytes,
      (todos) => this.presenter.present(todos, caller),
    );
  }

  /** Marks one of the caller's todos as done. */
  @Delete(':todo_id')
  @Requires('todo:finish')
  @Answers(TodoView)
  async finish(@Caller() caller: User, @Param('todo_id') id: number): Promise<TodoView> {
    return this.presenter.presentOne(await this.todos.finishOne(caller, id), caller);
  }

  /** Marks all todos of the caller that match the filter as done; returns their number. */
  @Delete()
  @Requires('todo:finish')
  @Answers('integer')
  finishAll(@Caller() caller: User, @Body() filter: FilterTodosDto): Promise<number> {
    return this.todos.finishAll(caller, toTodoFilter(filter));
  }
}

function toTodoFilter(query: FilterTodosDto): TodoFilter {
  return {
    state: oneOf(STATES, query.state) ?? 'pending',
    actions: actionsShownAs(query.action),
    authorId: query.author_id,
    projectId: query.project_id,
    type: oneOf(TYPES, query.type),
  };
}

function oneOf<V extends string>(values: readonly V[], value: string | undefined): V | undefined {
  return values.find((known) => known === value);
}
