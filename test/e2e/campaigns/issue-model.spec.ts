/** @campaign models */
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  nat,
  oneof,
  record,
  uniqueArray,
} from 'fast-check';
import type { MadeProject, Person } from '../../support/factories.js';
import { isSeedFixed, lengthOf, seedOf } from '../../support/lengths.js';
import {
  type Actor,
  ACTORS,
  type ModelChanges,
  type ModelIssue,
  type Outcome,
  type Place,
  PLACES,
  PlanningModel,
} from '../../support/planning-model.js';
import { Trellis } from '../../support/trellis.js';

const SEED = seedOf(20_170_109);
const RUNS = lengthOf({ brief: 2, campaign: 20 });

const LABELS = ['bug', 'two words', 'ä'];
const MILESTONES = ['v1', 'v2'];
/** Milestones that there are from the start; labels come with the issues. */
const GIVEN: Record<Place, string[]> = { here: MILESTONES, there: ['v1'] };

type Step =
  | { does: 'create'; by: Actor; at: Place; changes: ModelChanges & { title: string } }
  | { does: 'update'; by: Actor; issue: number; changes: ModelChanges }
  | { does: 'remove' | 'move' | 'comment' | 'vote'; by: Actor; issue: number }
  | { does: 'renameLabel'; by: Actor; at: Place; from: string; to: string }
  | { does: 'removeLabel'; by: Actor; at: Place; from: string };

const by = constantFrom(...ACTORS);
const at = constantFrom<Place>('here', 'here', 'there');
const label = constantFrom(...LABELS);
const title = constantFrom('One', 'Two', 'Three & <four>');
const optional = {
  confidential: boolean(),
  labels: uniqueArray(label, { maxLength: 2 }),
  assignee: constantFrom(...ACTORS, null),
  milestone: constantFrom(...MILESTONES, null),
};
const changes = record(
  { title, ...optional, state_event: constantFrom('close' as const, 'reopen' as const) },
  { requiredKeys: [] },
).filter((given) => Object.keys(given).length > 0);
const drafts = record({ title, ...optional }, { requiredKeys: ['title'] });
const onIssue = <D extends string>(does: D) => record({ does: constant(does), by, issue: nat(50) });
const steps = oneof(
  { weight: 5, arbitrary: record({ does: constant('create' as const), by, at, changes: drafts }) },
  {
    weight: 6,
    arbitrary: record({ does: constant('update' as const), by, issue: nat(50), changes }),
  },
  { weight: 1, arbitrary: onIssue('remove' as const) },
  { weight: 2, arbitrary: onIssue('move' as const) },
  { weight: 2, arbitrary: onIssue('comment' as const) },
  { weight: 2, arbitrary: onIssue('vote' as const) },
  {
    weight: 1,
    arbitrary: record({ does: constant('renameLabel' as const), by, at, from: label, to: label }),
  },
  { weight: 1, arbitrary: record({ does: constant('removeLabel' as const), by, at, from: label }) },
);

jest.setTimeout(300_000);

interface IssueBody {
  id: number;
  iid: number;
  title: string;
  state: string;
  confidential: boolean;
  labels: string[];
  milestone: { title: string } | null;
  user_notes_count: number;
  upvotes: number;
  author: { username: string };
  assignee: { username: string } | null;
}

/** The projects beside the model of them. */
interface Modelled {
  model: PlanningModel;
  projects: Record<Place, MadeProject>;
  people: Record<Actor, Person>;
  milestones: Record<Place, Map<string, number>>;
  ids: Map<ModelIssue, number>;
}

describe('issues', () => {
  let trellis: Trellis;
  const outcomes = new Map<Outcome, number>();

  beforeAll(async () => {
    trellis = await Trellis.shared();
  });

  it(`are what a simple model says after whatever is done (seed ${String(SEED)})`, async () => {
    const sequences = array(steps, { minLength: 15, maxLength: 30, size: 'max' });
    await assert(
      asyncProperty(sequences, async (sequence) => {
        const modelled = await stage();
        for (const step of sequence) {
          const places = await take(modelled, step);
          await compare(modelled, step, places);
        }
        await compare(modelled, 'the end', PLACES);
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
    for (const outcome of isSeedFixed() ? (['done', 400, 403, 404] as const) : []) {
      expect({ outcome, times: outcomes.get(outcome) ?? 0 }).not.toEqual({ outcome, times: 0 });
    }
  });

  async function stage(): Promise<Modelled> {
    const { factories } = trellis;
    const owner = await factories.user({ projectsLimit: 10 });
    const people = { owner, reporter: await factories.user(), guest: await factories.user() };
    const model = new PlanningModel();
    const milestones = { here: new Map<string, number>(), there: new Map<string, number>() };
    const projects = {
      here: await factories.project(owner),
      there: await factories.project(owner),
    };
    for (const place of PLACES) {
      await factories.addToProject(projects[place], people.reporter, 20);
      await factories.addToProject(projects[place], people.guest, 10);
      for (const name of GIVEN[place]) {
        const path = `/projects/${String(projects[place].id)}/milestones`;
        const made = await trellis.as(owner).post(path, { title: name }).expect(200);
        milestones[place].set(name, (made.body as { id: number }).id);
        model.milestones[place].add(name);
      }
    }
    return { model, projects, people, milestones, ids: new Map() };
  }

  /** Does something in both worlds, which have to come to the same; answers where it was done. */
  async function take(modelled: Modelled, step: Step): Promise<readonly Place[]> {
    const { model, ids } = modelled;
    const client = trellis.as(modelled.people[step.by]);
    const settle = (expected: Outcome, { status, body }: { status: number; body: unknown }) => {
      outcomes.set(expected, (outcomes.get(expected) ?? 0) + 1);
      const told = { step, status: status === 200 ? 'done' : status };
      expect({ ...told, body }).toEqual({ step, status: expected, body });
      return body as IssueBody;
    };
    if (step.does === 'create') {
      const path = `${pathOf(modelled, step.at)}/issues`;
      const expected = model.create(step.by, step.at, known(modelled, step.at, step.changes));
      const answer = await client.post(path, sent(modelled, step.at, step.changes));
      ids.set(expected, settle('done', answer).id);
    } else if (step.does === 'renameLabel') {
      const { at: place, from: name, to: newName } = step;
      const expected = model.renameLabel(step.by, place, name, newName);
      const path = `${pathOf(modelled, place)}/labels`;
      settle(expected, await client.put(path, { name, new_name: newName }));
    } else if (step.does === 'removeLabel') {
      const expected = model.removeLabel(step.by, step.at, step.from);
      const path = `${pathOf(modelled, step.at)}/labels?name=${encodeURIComponent(step.from)}`;
      settle(expected, await client.delete(path));
    } else {
      return takeOnIssue(modelled, step, settle);
    }
    return [step.at];
  }

  async function takeOnIssue(
    modelled: Modelled,
    step: Extract<Step, { issue: number }>,
    settle: (expected: Outcome, answer: { status: number; body: unknown }) => IssueBody,
  ): Promise<readonly Place[]> {
    const { model, ids, projects } = modelled;
    const issue = model.issues[step.issue % Math.max(1, model.issues.length)];
    if (issue === undefined) return [];
    const client = trellis.as(modelled.people[step.by]);
    const path = `${pathOf(modelled, issue.place)}/issues/${String(ids.get(issue))}`;
    if (step.does === 'update') {
      const body = sent(modelled, issue.place, step.changes);
      const expected = model.update(step.by, issue, known(modelled, issue.place, step.changes));
      settle(expected, await client.put(path, body));
    } else if (step.does === 'remove') {
      settle(model.remove(step.by, issue), await client.delete(path));
    } else if (step.does === 'comment') {
      settle(model.comment(step.by, issue), await client.post(`${path}/notes`, { body: 'Well.' }));
    } else if (step.does === 'vote') {
      const body = { name: 'thumbsup' };
      settle(model.vote(step.by, issue), await client.post(`${path}/award_emoji`, body));
    } else {
      const target = projects[issue.place === 'here' ? 'there' : 'here'].id;
      const moved = model.move(step.by, issue);
      const answer = await client.post(`${path}/move`, { to_project_id: target });
      const { id } = settle(typeof moved === 'object' ? 'done' : moved, answer);
      if (typeof moved === 'object') ids.set(moved, id);
    }
    return step.does === 'move' ? PLACES : [issue.place];
  }

  /** Lists, filters and counts of some projects are those of the model, for everybody. */
  async function compare(
    modelled: Modelled,
    step: Step | 'the end',
    places: readonly Place[],
  ): Promise<void> {
    const { model, people } = modelled;
    for (const place of places) {
      for (const reader of ACTORS) {
        const client = trellis.as(people[reader]);
        const listed = model.listed(place, reader);
        const opened = listed.filter(({ state }) => state === 'opened');
        const path = pathOf(modelled, place);
        const answer = await client.get(`${path}/issues?per_page=100`).expect(200);
        expect({ step, reader, issues: (answer.body as IssueBody[]).map(toldOf) }).toEqual({
          ...{ step, reader, issues: listed.map((issue) => expectedOf(modelled, issue)) },
        });
        expect(answer.headers['x-total']).toBe(String(listed.length));
        const bugs = await client.get(`${path}/issues?state=opened&labels=bug`).expect(200);
        expect((bugs.body as IssueBody[]).map(({ iid }) => iid)).toEqual(
          opened.filter(({ labels }) => labels.has('bug')).map(({ iid }) => iid),
        );
        const project = await client.get(path).expect(200);
        expect(project.body).toMatchObject({ open_issues_count: opened.length });
      }
    }
    if (places.includes('here')) await compareLabels(modelled);
  }

  async function compareLabels(modelled: Modelled): Promise<void> {
    const { model, people } = modelled;
    for (const reader of ['reporter', 'guest'] as const) {
      const answer = await trellis.as(people[reader]).get(`${pathOf(modelled, 'here')}/labels`);
      const listed = model.listed('here', reader);
      const count = (name: string, wanted: ModelIssue['state']) =>
        listed.filter(({ labels, state }) => state === wanted && labels.has(name)).length;
      const told = (answer.body as Record<string, unknown>[]).map(
        ({ name, open_issues_count: open, closed_issues_count: closed }) => [name, open, closed],
      );
      const expected = [...model.labels.here].map((name) => [
        ...[name, count(name, 'opened'), count(name, 'closed')],
      ]);
      expect(told.sort()).toEqual(expected.sort());
    }
  }
});

const pathOf = ({ projects }: Modelled, place: Place): string =>
  `/projects/${String(projects[place].id)}`;

/** Milestones of the other project alone are none here. */
function known<C extends ModelChanges>({ model }: Modelled, place: Place, given: C): C {
  const { milestone } = given;
  if (milestone === undefined || milestone === null) return given;
  return model.milestones[place].has(milestone) ? given : { ...given, milestone: null };
}

/** The changes as clients send them. */
function sent({ people, milestones }: Modelled, place: Place, given: ModelChanges): object {
  const { labels, assignee, milestone, ...rest } = given;
  return {
    ...rest,
    ...(labels === undefined ? {} : { labels: labels.join(', ') }),
    ...(assignee === undefined ? {} : { assignee_id: assignee ? people[assignee].user.id : 0 }),
    ...(milestone === undefined
      ? {}
      : { milestone_id: milestones[place].get(milestone ?? '') ?? 0 }),
  };
}

function expectedOf({ people, ids }: Modelled, issue: ModelIssue): object {
  return {
    ...{ id: ids.get(issue), iid: issue.iid, title: issue.title, state: issue.state },
    ...{ confidential: issue.confidential, labels: [...issue.labels].sort() },
    ...{ milestone: issue.milestone, user_notes_count: issue.notes.length },
    ...{ upvotes: issue.voters.size, author: people[issue.author].user.username },
    assignee: issue.assignee && people[issue.assignee].user.username,
  };
}

function toldOf(body: IssueBody): object {
  return {
    ...{ id: body.id, iid: body.iid, title: body.title, state: body.state },
    ...{ confidential: body.confidential, labels: [...body.labels].sort() },
    ...{ milestone: body.milestone?.title ?? null, user_notes_count: body.user_notes_count },
    ...{ upvotes: body.upvotes, author: body.author.username },
    assignee: body.assignee?.username ?? null,
  };
}
