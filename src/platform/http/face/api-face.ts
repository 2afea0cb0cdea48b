import { applyDecorators, Controller, SetMetadata } from '@nestjs/common';
import type { PageNumbers } from '../../pagination/index.js';
import { ApiExtension } from '../openapi/decorators.js';

/**
 * `spec`: a success is 200; `gitlab`: a successful POST is 201
 * (docs/reference/conventions.md#status-profiles).
 */
export type StatusProfile = 'spec' | 'gitlab';

export type SuccessStatus = 200 | 201 | 202 | 204 | 302;

/** Makes the headers of a page of a list; the parameters are those of `pageHeaders`. */
type PageHeaders = (
  page: PageNumbers,
  externalUrl: string,
  requestUrl: string,
) => Readonly<Record<string, string>>;

/** Another spelling of the beginning of some paths. */
export interface OldPath {
  /** Such as `projects/:id/keys`, below the prefix of the face. */
  readonly old: string;
  /** Where the routes lie, with the same parameters. */
  readonly now: string;
  /** The last segments of the paths that the interface document lists under the old spelling, too; without it, all. */
  readonly listed?: readonly string[];
}

/** How a version of the API spells what its routes have in common. */
export interface FaceDescription {
  /** Such as `v3`; its paths lie below `/api/v3`. */
  readonly name: string;
  /** The file of its interface document, in the root of the package. */
  readonly document: string;
  /** The status of a success, unless the handler says otherwise by `@FixedStatus`. */
  readonly statusOf: (verb: string, profile: StatusProfile) => SuccessStatus;
  /** Whether a token that is not known is refused on every route. Otherwise its request counts as one without a token. */
  readonly refusesUnknownTokens: boolean;
  /** Whether some refusals have an `error_code` besides their message. Default: false. */
  readonly hasErrorCodes?: boolean;
  readonly pageHeaders: PageHeaders;
  /**
   * Whether the suffix `.json` of a path, which it has without the prefix, is part of a value. Other suffixes are dropped.
   * Without it, none is.
   */
  readonly isSuffixOfValue?: (path: string, verb: string) => boolean;
  readonly oldPaths?: readonly OldPath[];
  /** Match paths, without the prefix, that are no routes although the pattern of a route matches; for all verbs and callers. */
  readonly unrouted?: readonly RegExp[];
  /** Paths without the prefix, as routes spell them, that are no routes for other verbs than those of reads: 404, not 405. */
  readonly readOnly?: readonly string[];
  /** The face whose answers to refusals it has, except for those that rooms give it by `provideOtherAnswers`. */
  readonly answersLike?: ApiFace;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What matches a path that a route spells, with its parameters. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);

const OPERATIONS = Symbol('the beginning of operation ids');

/** Marks operations in the generated interface document; removed when the document is completed. */
export const OPERATIONS_EXTENSION = 'x-operations';

/** Names the operations of a controller, or one of a method: `Issues` makes the ids `Issues.list`, `Issues.create` … */
const named = (name: string): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(OPERATIONS, name), ApiExtension(OPERATIONS_EXTENSION, name));

/** Begins the operation id of a method otherwise than those of its controller: ids stay when methods are moved. */
export const OperationOf = (name: string): MethodDecorator => named(name);

/** The operation id of a controller's method, as the interface document has it. */
export function operationIdOf(controller: { readonly prototype: object }, method: string): string {
  const handler = (controller.prototype as Record<string, object>)[method] ?? {};
  const name = (Reflect.getMetadata(OPERATIONS, handler) ??
    Reflect.getMetadata(OPERATIONS, controller)) as string;
  return `${name}.${method}`;
}

/** What paths of some faces may end in, without a meaning. */
export const SUFFIX = '.json';

/**
 * A version of the API: how clients spell what the domain does. A request has the face below whose prefix its path lies;
 * `faceOf` returns it (docs/decisions/0071-faces.md).
 */
export class ApiFace {
  readonly name: string;
  readonly prefix: string;
  readonly document: string;
  readonly statusOf: FaceDescription['statusOf'];
  readonly refusesUnknownTokens: boolean;
  readonly hasErrorCodes: boolean;
  readonly pageHeaders: PageHeaders;
  readonly oldPaths: readonly OldPath[];
  readonly answersLike: ApiFace | undefined;
  private readonly isSuffixOfValue: FaceDescription['isSuffixOfValue'];
  private readonly unrouted: readonly RegExp[];
  private readonly readOnly: readonly RegExp[];
  private readonly rewrites: readonly (readonly [pattern: RegExp, replacement: string])[];

  constructor(description: FaceDescription) {
    this.name = description.name;
    this.prefix = `/api/${description.name}`;
    this.document = description.document;
    this.statusOf = description.statusOf;
    this.refusesUnknownTokens = description.refusesUnknownTokens;
    this.hasErrorCodes = description.hasErrorCodes ?? false;
    this.pageHeaders = description.pageHeaders;
    this.oldPaths = description.oldPaths ?? [];
    this.answersLike = description.answersLike;
    this.isSuffixOfValue = description.isSuffixOfValue;
    this.unrouted = description.unrouted ?? [];
    this.readOnly = (description.readOnly ?? []).map(patternOf);
    this.rewrites = this.oldPaths.map((each) => rewriteOf(each));
  }

  /** Where its interface document is served. */
  get documentPath(): string {
    return `${this.prefix}/openapi.json`;
  }

  /** Where the explorer lies, a page of the API; its files lie below. */
  get explorerPath(): string {
    return `${this.prefix}/docs`;
  }

  /** Whether a path lies below the prefix, or is the prefix. */
  has(path: string): boolean {
    return isBelow(this.prefix, path);
  }

  /** A path of this face without the prefix and the slash behind it. */
  relative(path: string): string {
    return path.slice(this.prefix.length + 1);
  }

  /** A path of this face as its routes spell it. Escapes stay as they are, `%2F` above all. */
  normalize(path: string, verb: string): string {
    let plain = this.relative(path);
    for (const [pattern, replacement] of this.rewrites) plain = plain.replace(pattern, replacement);
    const isSuffixed =
      plain.endsWith(SUFFIX) && path !== this.documentPath && this.dropsSuffix(plain, verb);
    const routed = isSuffixed ? plain.slice(0, -SUFFIX.length) : plain;
    return routed === '' ? this.prefix : `${this.prefix}/${routed}`;
  }

  /** Whether a path of this face is no route for a verb, whatever pattern of a route it matches. */
  isUnrouted(path: string, verb: string): boolean {
    const rest = this.relative(path);
    const patterns = READS.has(verb) ? this.unrouted : [...this.unrouted, ...this.readOnly];
    return patterns.some((pattern) => pattern.test(rest));
  }

  /** The statuses that a success may have, in one profile or the other. */
  statusesOf(verb: string): SuccessStatus[] {
    const statuses = (['spec', 'gitlab'] as const).map((profile) => this.statusOf(verb, profile));
    return [...new Set(statuses)];
  }

  /**
   * Makes a class a controller whose routes lie below the prefix.
   * @param path relative to the prefix, `''` for the prefix itself
   * @param operations begins the ids of its operations in the interface document
   */
  controller(path: string, operations: string): ClassDecorator {
    const whole = path === '' ? this.prefix : `${this.prefix}/${path}`;
    return applyDecorators(Controller(whole.slice(1)), named(operations));
  }

  private dropsSuffix(path: string, verb: string): boolean {
    return this.isSuffixOfValue !== undefined && !this.isSuffixOfValue(path, verb);
  }
}

/** Whether a path is a prefix or begins with it and a slash. */
export const isBelow = (prefix: string, path: string): boolean =>
  path === prefix || path.startsWith(`${prefix}/`);

const PARAMETER = /:\w+/g;

function rewriteOf({ old, now }: OldPath): readonly [RegExp, string] {
  let position = 0;
  const replacement = now.replace(PARAMETER, () => `$${String(++position)}`);
  return [new RegExp(`^${old.replace(PARAMETER, '([^/]+)')}(?=/|$)`), replacement];
}
