/** @campaign models */
import { BranchWork } from '../../support/branch-work.js';
import type { Person } from '../../support/factories.js';
import { lengthOf, seedOf } from '../../support/lengths.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { RequestModel } from '../../support/request-model.js';
import { Trellis } from '../../support/trellis.js';

const SEED = seedOf(20);
const RUNS = lengthOf({ brief: 1, campaign: 6 });
const STEPS = lengthOf({ brief: 24, campaign: 40 });

jest.setTimeout(600_000);

describe('merge requests in random sequences of actions', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
  });

  it.each(Array.from({ length: RUNS }, (_, run) => SEED + run))(
    'keep their commits, and end once (seed %i)',
    async (seed) => {
      const place = await BranchWork.begin(trellis, owner, projects);
      const model = new RequestModel(trellis, owner, place, seed);
      await model.begin();
      for (let step = 0; step < STEPS; step += 1) {
        await model.step();
        if (step % 8 === 7) await model.expectSound();
      }
      await model.expectSound();
    },
  );
});
