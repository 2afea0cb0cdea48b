import { readFileSync } from 'node:fs';
import type { Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { FACES, V3 } from '../../../src/faces/index.js';
import { type Ability, abilityOf } from '../../../src/modules/authorization/index.js';
import { type ApiFace, operationIdOf } from '../../../src/platform/http/index.js';
import type { Trellis } from '../../support/trellis.js';

export type Verb = 'get' | 'post' | 'put' | 'delete';

/** The part of a JSON schema that test values are made from. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
}

/** An operation of the interface document. */
export interface Operation {
  readonly face: ApiFace;
  readonly verb: Verb;
  /** With its parameters in braces. */
  readonly path: string;
  readonly operationId: string;
  /** Required parameters of the query string, with their schemas. */
  readonly query: Readonly<Record<string, Schema>>;
  readonly body: Schema;
}

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: Schema }>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A route as its controller declares it. */
export interface Route {
  readonly handler: string;
  readonly ability: Ability | undefined;
}

/** All operations of the checked-in interface documents. */
export function documentedOperations(): Operation[] {
  return FACES.flatMap((face) => {
    const { paths, components } = readDocument(face);
    return Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([verb, documented]) => ({
        face,
        verb: verb as Verb,
        path,
        operationId: documented.operationId,
        query: requiredQuery(documented),
        body: bodyOf(documented, components.schemas),
      })),
    );
  });
}

/** The schemas of all parameters in query string and body, by handler and name. */
export function documentedParameters(): Map<string, Readonly<Record<string, Schema>>> {
  const documented = FACES.flatMap((face) => {
    const { paths, components } = readDocument(face);
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    return operations.map((operation) => ({ face, components, operation }));
  });
  return new Map(
    documented.map(({ face, components, operation }) => {
      const inQuery = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, schema = {} }) => [name, schema] as const);
      const { properties = {} } = bodyOf(operation, components.schemas);
      return [handlerOf({ ...operation, face }), { ...Object.fromEntries(inQuery), ...properties }];
    }),
  );
}

/** The schemas of all values in paths, by operation (`GET /api/v3/projects/{id}`) and name. */
export function documentedPathValues(): { operation: string; name: string; schema: Schema }[] {
  return FACES.flatMap((face) =>
    Object.entries(readDocument(face).paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([verb, { parameters = [] }]) =>
        parameters
          .filter((parameter) => parameter.in === 'path')
          .map(({ name, schema = {} }) => ({
            operation: `${verb.toUpperCase()} ${face.prefix}${path}`,
            name,
            schema,
          })),
      ),
    ),
  );
}

/** An operation, as far as it says which handler it belongs to. */
type OfHandler = Pick<Operation, 'face' | 'operationId'>;

/**
 * The handler an operation belongs to: further paths of one handler are numbered. Handlers of other versions than 3 are
 * named with their version: `v4 Metadata.read`.
 */
export function handlerOf({ face, operationId }: OfHandler): string {
  const id = operationId.replace(ALIAS, '');
  return face === V3 ? id : `${face.name} ${id}`;
}

/** Whether an operation is at a further path of its handler. */
export const isAlias = ({ operationId }: Pick<Operation, 'operationId'>): boolean =>
  ALIAS.test(operationId);

const ALIAS = /\.alias\d+$/;

/** The handler of a controller's method, named as those of operations, or outside the API by its class. */
export function handlerNamed(controller: Type, method: string): string {
  const paths = [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
  const face = FACES.find((each) => paths.some((path) => each.has(`/${path}`)));
  return face === undefined
    ? `${controller.name.replace(/Controller$/, '')}.${method}`
    : handlerOf({ face, operationId: operationIdOf(controller, method) });
}

/** The routes that the controllers of a running service declare. */
export function declaredRoutes({ app }: Trellis): Route[] {
  const modules = [...app.get(ModulesContainer).values()];
  return modules.flatMap(({ controllers }) =>
    [...controllers.values()].flatMap(({ metatype }) => handlersOf(metatype as Type)),
  );
}

function readDocument({ document }: ApiFace): Document {
  return JSON.parse(readFileSync(document, 'utf8')) as Document;
}

function requiredQuery({ parameters = [] }: Documented): Record<string, Schema> {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return Object.fromEntries(required.map(({ name, schema = {} }) => [name, schema]));
}

function bodyOf({ requestBody }: Documented, schemas: Document['components']['schemas']): Schema {
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema ?? {};
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? {});
}

function handlersOf(controller: Type): Route[] {
  const prototype = controller.prototype as Record<string, object>;
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .filter((name) => Reflect.hasMetadata(PATH_METADATA, prototype[name] ?? {}))
    .map((name) => ({
      handler: handlerNamed(controller, name),
      ability: abilityOf(prototype[name] ?? {}),
    }));
}
