import { Body, Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { Answers, AnswersList } from '../../../platform/http/index.js';
import { describeInParts, type Page } from '../../../platform/pages/index.js';
import { Caller, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { FilterTodosDto, toTodoFilter } from './todo.dto.js';
import { TodoPresenter, TodoView } from './todo.view.js';
import { TodosService } from './todos.service.js';

@Controller('todos')
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
