import { AccountErasure } from '../../../src/modules/users/index.js';
import { UnitOfWork } from '../../../src/platform/database/index.js';
import { openIssue, todosFor } from '../../support/issues.js';
import { todosOf } from '../../support/todos.js';
import { Trellis } from '../../support/trellis.js';

describe('a deleted account', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.shared();
  });

  /** What the job does that erases accounts. */
  async function erase(names: readonly string[], userId: number, ghostId: number): Promise<void> {
    const { steps } = trellis.app.get(AccountErasure);
    const wanted = steps.filter(({ name }) => names.includes(name));
    expect(wanted).toHaveLength(names.length);
    for (const step of wanted) {
      const run = () => trellis.app.get(UnitOfWork).run(() => step.run(userId, ghostId));
      while (await run());
    }
  }

  it('loses its todos and mentions; its todos for others belong to the ghost user', async () => {
    const [owner, gone, heir] = [
      await trellis.factories.user(),
      await trellis.factories.user(),
      await trellis.factories.user(),
    ];
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const title = `@${gone.user.username} @${owner.user.username}`;
    const issue = await openIssue(trellis, gone, project, { title });
    expect(await todosFor(trellis, issue)).toHaveLength(2);

    const steps = ['removeSomeOfUser', 'handOver'].map((method) => `TodosRepository.${method}`);
    await erase([...steps, 'MentionsRepository.removeSomeOfUser'], gone.user.id, heir.user.id);

    expect(await todosFor(trellis, issue)).toEqual([
      { user_id: owner.user.id, author_id: heir.user.id, action: 'mentioned', state: 'pending' },
    ]);
    expect(await todosOf(trellis, owner)).toMatchObject([{ author: { id: heir.user.id } }]);
    const mentioned = await trellis.rows(
      `SELECT user_id FROM mentions WHERE target_type = 'Issue' AND target_id = $1`,
      [issue.id],
    );
    expect(mentioned).toEqual([{ user_id: owner.user.id }]);
  });
});
