import { type Permission, PERMISSIONS } from '../../../src/modules/access/index.js';
import type { Trellis } from '../../support/trellis.js';
import { type Answer, call, type Values } from './call.js';
import { type Case, CASES } from './cases.js';
import {
  CALLERS,
  type Expectation,
  expectationOf,
  type Situation,
  type Visibility,
} from './expectation.js';
import { declaredRoutes, handlerOf, type Operation } from './operations.js';
import { Stage, type Way } from './stage.js';

/** What says that the project or group of the path is not there, or not for this caller. */
const OUTERMOST = { project: '404 Project Not Found', group: '404 Group Not Found' };

interface Place {
  readonly visibility: Visibility;
  readonly way: Way;
}

/** Calls operations as everybody and compares what they answer with the permission table. */
export class Checks {
  private constructor(
    private readonly url: string,
    readonly stage: Stage,
    private readonly permissions: ReadonlyMap<string, Permission | undefined>,
  ) {}

  static async on(trellis: Trellis): Promise<Checks> {
    const permissions = declaredRoutes(trellis).map(
      ({ operationId, ability }) => [operationId, ability && PERMISSIONS[ability]] as const,
    );
    return new Checks(trellis.url, await Stage.build(trellis), new Map(permissions));
  }

  /** @throws when the operation has no handler, or that names no ability */
  permissionOf(operation: Operation): Permission {
    const permission = this.permissions.get(handlerOf(operation));
    if (permission === undefined) throw new Error(`${operation.operationId} needs no ability`);
    return permission;
  }

  /** What is wrong with the answers to all callers, as lines; none when they are as expected. */
  async mismatches(operation: Operation, place: Place): Promise<string[]> {
    const lines = CALLERS.map((caller) => this.check(operation, { ...place, caller }));
    return (await Promise.all(lines)).flat();
  }

  private async check(operation: Operation, place: Place & Situation): Promise<string[]> {
    const { caller, visibility, way } = place;
    const permission = this.permissionOf(operation);
    const special = CASES[handlerOf(operation)] ?? {};
    const expected = expectationOf(permission, { ...place, shared: way === 'share' });
    const values = await this.values(operation, special, place, expected);
    const answer = await call(this.url, operation, this.stage.people[caller], values);
    const wanted = (expected === 'allowed' && special.refused?.[caller]) || expected;
    const wrong = fits(answer, wanted, permission) ? [] : [`not ${String(wanted)}`];
    const told = `${caller}, ${visibility}, ${way}: ${answer.status} ${answer.text.slice(0, 200)}`;
    return [...wrong, ...answer.violations].map((text) => `${told}: ${text}`);
  }

  /** The parameters; whoever may change something gets a project or group to themselves. */
  private async values(
    operation: Operation,
    { parameters }: Case,
    { visibility, way, caller }: Place & Situation,
    expected: Expectation,
  ): Promise<Values> {
    const { scope } = this.permissionOf(operation);
    const { stage } = this;
    const changes = operation.verb !== 'get' && expected === 'allowed';
    const given = (await parameters?.(stage, caller)) ?? {};
    if (scope === 'project') {
      const project = changes ? stage.newProject(visibility, way) : stage.project(visibility, way);
      return { ...given, id: (await project).id };
    }
    if (scope === 'group') {
      const group = changes ? stage.newGroup(visibility) : stage.group(visibility);
      return { ...given, id: (await group).id };
    }
    return given;
  }
}

/** Whether an answer says what is expected; what gets through may still fail for what it names. */
function fits(
  { status, body }: Answer,
  wanted: 'allowed' | number,
  { scope }: Permission,
): boolean {
  const outermost = scope === 'project' || scope === 'group' ? OUTERMOST[scope] : undefined;
  const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown };
  const isOutermost = status === 404 && outermost !== undefined && message === outermost;
  if (wanted === 404) return isOutermost;
  if (wanted !== 'allowed') return status === wanted;
  const isNoRoute = status === 404 && error === '404 Not Found';
  return status < 500 && ![401, 403, 429].includes(status) && !isOutermost && !isNoRoute;
}
