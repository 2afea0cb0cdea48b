import { Controller, Delete, Param } from '@nestjs/common';
import { Answers, EmptyWhenAbsent, PathIds } from '../../../platform/http/index.js';
import { Caller, Requires } from '../../access/index.js';
import { User } from '../user.entity.js';
import { UserPresenter } from '../user.presenter.js';
import { UserView } from '../user.view.js';
import { DeleteUser } from './delete-user.js';

@Controller('users')
@PathIds({ id: 'no route' })
export class UserDeletionController {
  constructor(
    private readonly deletion: DeleteUser,
    private readonly presenter: UserPresenter,
  ) {}

  /** Removes an account; nothing is answered, and nothing done, where that is not possible. */
  @Delete(':id')
  @Requires('user:administer')
  @Answers(UserView, { nullable: true })
  @EmptyWhenAbsent()
  async delete(@Caller() caller: User, @Param('id') id: number): Promise<UserView | null> {
    const deleted = await this.deletion.run(caller, id);
    return deleted && this.presenter.full(deleted);
  }
}
