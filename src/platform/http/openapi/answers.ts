import { applyDecorators, type Type } from '@nestjs/common';
import { JSON_TYPE } from '../answers/send-json.js';
import type { SuccessStatus } from '../face/api-face.js';
import { ApiExtension, ApiExtraModels, ApiResponse, schemaPath } from './decorators.js';

/** Markers on operations that the finished document no longer has. */
export const MAY_ANSWER_EXTENSION = 'x-may-answer';
export const PAGED_EXTENSION = 'x-paged';
export const ALSO_ANSWERS_EXTENSION = 'x-also-answers';

interface AnswerOptions {
  /** One sentence for the interface's documentation. */
  description?: string;
  /** Where the handler may have nothing to answer: documents the empty body as well. */
  nullable?: boolean;
  /** Another form of the answer or of its items: a parameter or the caller decides. */
  or?: Type;
}

/** `object` is an object without documented properties. */
type Scalar = 'boolean' | 'integer' | 'string' | 'object';

/**
 * Documents the success of a handler that answers one object, or a scalar. The status follows the
 * verb, the profile and `@FixedStatus`, so it is not said here.
 */
export function Answers(view: Type | Scalar, options: AnswerOptions = {}): MethodDecorator {
  const { or } = options;
  const schemas: object[] = [
    typeof view === 'string' ? { type: view } : { $ref: schemaPath(view) },
    ...(or === undefined ? [] : [{ $ref: schemaPath(or) }]),
    ...(options.nullable === true ? [{ type: 'null' }] : []),
  ];
  return applyDecorators(
    ApiExtraModels(...[view, or].filter((form) => typeof form === 'function')),
    ApiResponse({
      status: 200,
      description: options.description ?? 'Done.',
      schema: oneForm(schemas),
    }),
  );
}

/** Documents the success of a handler that answers a `Page` of views. */
export function AnswersList(view: Type, options: AnswerOptions = {}): MethodDecorator {
  const { or } = options;
  const forms = or === undefined ? [view] : [view, or];
  return applyDecorators(
    ApiExtraModels(...forms),
    ApiExtension(PAGED_EXTENSION, true),
    ApiResponse({
      status: 200,
      description: options.description ?? 'One page of the list.',
      schema: {
        type: 'array',
        items: oneForm(forms.map((form) => ({ $ref: schemaPath(form) }))),
      },
    }),
  );
}

/** Documents the success of a handler that answers all views of a list, without pages. */
export function AnswersAll(view: Type): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(view),
    ApiResponse({
      status: 200,
      description: 'The list.',
      schema: { type: 'array', items: { $ref: schemaPath(view) } },
    }),
  );
}

/** Documents the success of a handler that answers a page of a list which is always empty. */
export function AnswersNoItems(): MethodDecorator {
  return applyDecorators(
    ApiExtension(PAGED_EXTENSION, true),
    ApiResponse({
      status: 200,
      description: 'One page of the list, which is always empty.',
      schema: { type: 'array', items: { type: 'object' }, maxItems: 0 },
    }),
  );
}

/** Documents the success of a handler that writes a file of one of some media types. */
export function AnswersFile(...mediaTypes: string[]): MethodDecorator {
  return ApiResponse({
    status: 200,
    description: 'The file.',
    content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: {} }])),
  });
}

/** Documents a success without a body: 200 and `Content-Length: 0`, or 204 with `@FixedStatus`. */
export function AnswersNothing(options: AnswerOptions = {}): MethodDecorator {
  return ApiResponse({ status: 200, description: options.description ?? 'Done; no body.' });
}

/** Documents another success, which the handler answers by `AnswerWithStatus`. */
export function AlsoAnswers(
  status: SuccessStatus,
  view: Type,
  description: string,
): MethodDecorator {
  const schema = { $ref: schemaPath(view) };
  const response = { description, content: { [JSON_TYPE]: { schema } } };
  return applyDecorators(
    ApiExtraModels(view),
    ApiExtension(ALSO_ANSWERS_EXTENSION, { status, response }),
  );
}

/** Statuses of refusals beyond those that every operation may answer (304, 405, 406, 409, 422 …). */
export function MayAnswer(...statuses: number[]): MethodDecorator {
  return ApiExtension(MAY_ANSWER_EXTENSION, statuses);
}

function oneForm(schemas: readonly object[]): object {
  const [only, ...others] = schemas;
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas };
}
