import { Body, Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { recordNotFound } from '../../../platform/errors/index.js';
import { Answers, AnswersList, describeInParts, type Page } from '../../../platform/http/index.js';
import { Caller, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { FilterTodosDto, toTodoFilter } from './dto/filter-todos.dto.js';
import { TodoLists } from './todo-lists.js';
import { TodoPresenter } from './todo.presenter.js';
import { TodoView } from './todo.view.js';

@Controller('todos')
export class TodosController {
  constructor(
    private readonly lists: TodoLists,
    private readonly presenter: TodoPresenter,
  ) {}

  /** What waits for the caller, the newest first. */
  @Get()
  @Requires('todo:read')
  @AnswersList(TodoView)
  async list(@Caller() caller: User, @Query() query: FilterTodosDto): Promise<Page<TodoView>> {
    const page = await this.lists.page(caller, toTodoFilter(query), query);
    return describeInParts(
      page,
      ({ textBytes }) => textBytes,
      (todos) => this.presenter.present(todos, caller),
    );
  }

  /** Makes one of the caller's todos done. */
  @Delete(':todo_id')
  @Requires('todo:finish')
  @Answers(TodoView)
  async finish(@Caller() caller: User, @Param('todo_id') id: number): Promise<TodoView> {
    const todo = await this.lists.finishOne(caller, id);
    const [view] = todo === null ? [] : await this.presenter.present([todo], caller);
    if (view === undefined) throw recordNotFound();
    return view;
  }

  /** Makes all of the caller's todos done that fit the filter; answers how many, whatever the page. */
  @Delete()
  @Requires('todo:finish')
  @Answers('integer')
  finishAll(@Caller() caller: User, @Body() filter: FilterTodosDto): Promise<number> {
    return this.lists.finishAll(caller, toTodoFilter(filter));
  }
}
