import type { Provider } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { FieldProblem, FieldRuleOf, RefusalOf, ResourceOf, Room } from '../../errors/index.js';
import type { ApiFace } from '../face/api-face.js';

/** Status and body of a refusal; no body means an empty response. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with `{ "message": value }`: the application refuses. */
export const withMessage = (status: number, value: unknown): ErrorAnswer => ({
  status,
  body: { message: value },
});

/** Answers with `{ "error": value }`: a parameter, the route or the form of the request is wrong. */
export const withError = (status: number, value: unknown): ErrorAnswer => ({
  status,
  body: { error: value },
});

/** The answer to each refusal, made from its detail. */
export type AnswersTo<Detail extends { code: string }> = {
  readonly [C in Detail['code']]: (detail: Extract<Detail, { code: C }>) => ErrorAnswer;
};

/** A part that a room has only if it declares what belongs to it. */
type Part<Name extends string, Table> = keyof Table extends never
  ? { readonly [N in Name]?: never }
  : { readonly [N in Name]: Table };

/** How a face words what one room refuses: everything that the room has declared in `platform/errors`. */
export type AnswersOf<Of extends Room> = Part<'refusals', AnswersTo<RefusalOf<Of>>> &
  Part<'resources', Readonly<Record<ResourceOf<Of>, string>>> &
  Part<'rules', Readonly<Record<FieldRuleOf<Of>, RuleText>>> & {
    /** Fields of its records that are spelled otherwise than in snake_case. */
    readonly fields?: Readonly<Record<string, string>>;
  };

/** The text of a broken rule, without the name of the field. */
export type RuleText = string | ((problem: FieldProblem) => string);

/** The answers of a room that a face words otherwise than the face that it answers like. */
type OtherAnswersOf<Of extends Room> = {
  readonly [P in keyof AnswersOf<Of>]?: Partial<AnswersOf<Of>[P]>;
};

/** The answers of any room. */
export interface AnyAnswers {
  readonly refusals?: Readonly<Record<string, (detail: never) => ErrorAnswer>>;
  readonly resources?: Readonly<Record<string, string>>;
  readonly rules?: Readonly<Record<string, RuleText>>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Marks a provider whose `answers` word the refusals of a room. */
export const AnswersRefusals = DiscoveryService.createDecorator();

@AnswersRefusals()
export class RoomAnswers {
  constructor(
    readonly face: ApiFace,
    readonly answers: AnyAnswers,
  ) {}
}

/** Makes the provider by which a face of a room words what the room refuses. A missing entry does not compile. */
export const provideAnswers = <Of extends Room>(
  face: ApiFace,
  room: Of,
  answers: AnswersOf<Of>,
): Provider => provide(face, room, answers);

/**
 * The same for a face that answers like another one: only what it words otherwise.
 * @throws Error for a face that answers like no other
 */
export function provideOtherAnswers<Of extends Room>(
  face: ApiFace,
  room: Of,
  answers: OtherAnswersOf<Of>,
): Provider {
  if (face.answersLike === undefined) throw new Error(`${face.name} needs all answers of ${room}`);
  return provide(face, room, answers as AnyAnswers);
}

const provide = (face: ApiFace, room: Room, answers: AnyAnswers): Provider => ({
  provide: `${face.name} answers to refusals of ${room}`,
  useValue: new RoomAnswers(face, answers),
});
