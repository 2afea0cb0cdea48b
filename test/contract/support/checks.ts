import { type Permission, PERMISSIONS } from '../../../src/modules/authorization/index.js';
import type { Trellis } from '../../support/trellis.js';
import { type Answer, call, type Values } from './call.js';
import { CASES } from './cases.js';
import { type Caller, CALLERS, type Expectation, expectationOf } from './expectation.js';
import { declaredRoutes, handlerOf, type Operation } from './operations.js';
import { type Place, Stage } from './stage.js';
import type { ObjectKind } from './stored-state.js';

/** What says that the project or group of the path is not there, or not for this caller. */
const OUTERMOST = { project: '404 Project Not Found', group: '404 Group Not Found' };

/** Calls operations as everybody and compares what they answer with the permission table. */
export class Checks {
  private constructor(
    private readonly url: string,
    readonly stage: Stage,
    private readonly permissions: ReadonlyMap<string, Permission | undefined>,
  ) {}

  static async on(trellis: Trellis): Promise<Checks> {
    const permissions = declaredRoutes(trellis).map(
      ({ handler, ability }) => [handler, ability && PERMISSIONS[ability]] as const,
    );
    return new Checks(trellis.url, await Stage.build(trellis), new Map(permissions));
  }

  /** @throws when the operation has no handler, or that names no ability */
  permissionOf(operation: Operation): Permission {
    const permission = this.permissions.get(handlerOf(operation));
    if (permission === undefined) throw new Error(`${operation.operationId} needs no ability`);
    return permission;
  }

  /**
   * What is wrong with the answers to some callers, and with what those who are refused have changed, as lines;
   * none when all is as expected.
   */
  async mismatches(
    operation: Operation,
    place: Place,
    callers: readonly Caller[] = CALLERS,
  ): Promise<string[]> {
    const isRefused = (caller: Caller) => this.expected(operation, place, caller) !== 'allowed';
    const check = async (some: readonly Caller[]) =>
      (await Promise.all(some.map((caller) => this.check(operation, place, caller)))).flat();
    const refusals = await check(callers.filter(isRefused));
    const changes = await this.changes(operation, place);
    return [...refusals, ...changes, ...(await check(callers.filter((one) => !isRefused(one))))];
  }

  private expected(operation: Operation, place: Place, caller: Caller): Expectation {
    const { visibility, way } = place;
    const permission = this.permissionOf(operation);
    const isUnknown = caller === 'blocked' && permission.scope !== 'anyone';
    if (isUnknown && operation.face.refusesUnknownTokens) return 401;
    return expectationOf(permission, { caller, visibility, shared: way === 'share' });
  }

  private async changes(operation: Operation, place: Place): Promise<string[]> {
    const kind = kindOf(this.permissionOf(operation));
    if (kind === undefined || operation.verb === 'get') return [];
    const tables = await this.stage.changesOfKept(kind, place);
    return tables.map((name) => `${place.visibility}: ${name} is changed by who is refused`);
  }

  private async check(operation: Operation, place: Place, caller: Caller): Promise<string[]> {
    const { visibility, way } = place;
    const permission = this.permissionOf(operation);
    const { parameters, refused } = CASES[handlerOf(operation)] ?? {};
    const expected = this.expected(operation, place, caller);
    const given = (await parameters?.(this.stage, caller)) ?? {};
    const send = (values: Values) =>
      call(this.url, operation, this.stage.people[caller], { ...given, ...values });
    const answer = await this.onObject(operation, place, expected, send);
    const wanted = (expected === 'allowed' && refused?.[caller]) || expected;
    const wrong = fits(answer, wanted, permission) ? [] : [`not ${String(wanted)}`];
    const told = `${caller}, ${visibility}, ${way}: ${answer.status} ${answer.text.slice(0, 200)}`;
    return [...wrong, ...answer.violations].map((text) => `${told}: ${text}`);
  }

  /** Calls on a project or group where the path names one: another one for those who may change it. */
  private async onObject(
    operation: Operation,
    place: Place,
    expected: Expectation,
    send: (values: Values) => Promise<Answer>,
  ): Promise<Answer> {
    const kind = kindOf(this.permissionOf(operation));
    if (kind === undefined) return send({});
    const mayChange = operation.verb !== 'get' && expected === 'allowed';
    if (mayChange) return this.stage.lend(kind, place, (id) => send({ id }));
    return send({ id: await this.stage.keep(kind, place) });
  }
}

export function kindOf({ scope }: Permission): ObjectKind | undefined {
  return scope === 'project' || scope === 'group' ? scope : undefined;
}

/** Whether an answer says what is expected; what gets through may still fail for what it names. */
function fits(
  { status, body }: Answer,
  wanted: 'allowed' | number,
  permission: Permission,
): boolean {
  const kind = kindOf(permission);
  const outermost = kind && OUTERMOST[kind];
  const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown };
  const isOutermost = status === 404 && outermost !== undefined && message === outermost;
  if (wanted === 404) return isOutermost;
  if (wanted !== 'allowed') return status === wanted;
  const isNoRoute = status === 404 && error === '404 Not Found';
  return status < 500 && ![401, 403, 429].includes(status) && !isOutermost && !isNoRoute;
}
