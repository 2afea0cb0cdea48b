import { Controller, Param, Put } from '@nestjs/common';
import { Answers, PathIds } from '../../../platform/http/index.js';
import { Caller, Requires } from '../../access/index.js';
import { User } from '../user.entity.js';
import { UserBlocking } from './user-blocking.js';

@Controller('users/:id')
@PathIds({ id: 'no route' })
export class UserBlockingController {
  constructor(private readonly blocking: UserBlocking) {}

  /** Shuts an account out; false when nothing had to change. */
  @Put('block')
  @Requires('user:administer')
  @Answers('boolean')
  block(@Caller() caller: User, @Param('id') id: number): Promise<boolean> {
    return this.blocking.block(caller, id);
  }

  /** Lets an account in again; false when nothing had to change. */
  @Put('unblock')
  @Requires('user:administer')
  @Answers('boolean')
  unblock(@Param('id') id: number): Promise<boolean> {
    return this.blocking.unblock(id);
  }
}
