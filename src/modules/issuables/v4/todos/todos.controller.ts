import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  EnumParam,
  FixedStatus,
  IdParam,
  PageQuery,
} from '../../../../platform/http/index.js';
import { describeInParts, type Page } from '../../../../platform/pagination/index.js';
import { Caller, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { TODO_ACTIONS, type TodoAction, type TodoState } from '../../todos/todo.entity.js';
import type { TodoFilter } from '../../todos/todos.repository.js';
import { TodosService } from '../../todos/todos.service.js';
import { V4TodoPresenter, V4TodoView } from './todo.view.js';

const STATES: readonly TodoState[] = ['pending', 'done'];
const TYPES = ['Issue', 'MergeRequest'] as const;

/** `GET /todos` and `POST /todos/mark_as_done`. */
class V4FilterTodosDto extends PageQuery {
  @EnumParam(TODO_ACTIONS)
  action?: TodoAction;

  @IdParam({ description: 'The user who caused them.' })
  author_id?: number;

  @IdParam()
  project_id?: number;

  @EnumParam(STATES, { default: 'pending' })
  state: TodoState = 'pending';

  @EnumParam(TYPES)
  type?: (typeof TYPES)[number];
}

@V4Controller('todos', 'Todos')
export class V4TodosController {
  constructor(
    private readonly todos: TodosService,
    private readonly presenter: V4TodoPresenter,
  ) {}

  /** The caller's todos, newest first. */
  @Get()
  @Requires('todo:read')
  @AnswersList(V4TodoView)
  async list(@Caller() caller: User, @Query() query: V4FilterTodosDto): Promise<Page<V4TodoView>> {
    const page = await this.todos.list(caller, toTodoFilter(query), query);
    return describeInParts(
      page,
      ({ textBytes }) => textBytes,
      (todos) => this.presenter.present(todos, caller),
    );
  }

  /** Marks one of the caller's todos as done. */
  @Post(':todo_id/mark_as_done')
  @Requires('todo:finish')
  @Answers(V4TodoView)
  async finish(@Caller() caller: User, @Param('todo_id') id: number): Promise<V4TodoView> {
    return this.presenter.presentOne(await this.todos.finishOne(caller, id), caller);
  }

  /** Marks all todos of the caller that match the filter as done. */
  @Post('mark_as_done')
  @Requires('todo:finish')
  @FixedStatus(204)
  @AnswersNothing()
  async finishAll(@Caller() caller: User, @Body() filter: V4FilterTodosDto): Promise<void> {
    await this.todos.finishAll(caller, toTodoFilter(filter));
  }
}

const toTodoFilter = (query: V4FilterTodosDto): TodoFilter => ({
  state: query.state,
  actions: query.action && [query.action],
  authorId: query.author_id,
  projectId: query.project_id,
  type: query.type,
});
