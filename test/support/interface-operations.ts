import { readFileSync } from 'node:fs';
import { FACES, V3 } from '../../src/faces/index.js';
import type { ApiFace } from '../../src/platform/http/index.js';

export type Verb = 'get' | 'post' | 'put' | 'delete';

/** An operation of the interface document, with the names of its parameters by their place. */
export interface InterfaceOperation {
  face: ApiFace;
  title: string;
  verb: Verb;
  /** With parameters in braces. */
  path: string;
  /** Parameters in the path, in their order. */
  segments: string[];
  query: string[];
  body: string[];
  /** Those of the body that must not be absent. */
  required: string[];
}

interface Schema {
  $ref?: string;
  properties?: Record<string, object>;
  required?: string[];
}

interface Documented {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** Every operation of the checked-in interface documents; the titles of other versions than 3 have their prefix. */
export function interfaceOperations(): InterfaceOperation[] {
  return FACES.flatMap(operationsOf);
}

function operationsOf(face: ApiFace): InterfaceOperation[] {
  const { paths, components } = JSON.parse(readFileSync(face.document, 'utf8')) as {
    paths: Record<string, Record<string, Documented>>;
    components: { schemas: Record<string, Schema> };
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, { parameters = [], requestBody }]) => {
      const given = Object.values(requestBody?.content ?? {})[0]?.schema;
      const schema = components.schemas[given?.$ref?.split('/').at(-1) ?? ''] ?? {};
      return {
        face,
        title: `${verb.toUpperCase()} ${face === V3 ? '' : face.prefix}${path}`,
        verb: verb as Verb,
        path,
        segments: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        body: Object.keys(schema.properties ?? {}),
        required: schema.required ?? [],
      };
    }),
  );
}
