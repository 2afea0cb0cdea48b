import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RoomDiscovery } from '../../discovery/index.js';
import type { DomainError, FieldProblem, FieldProblems, Resource } from '../../errors/index.js';
import type { ApiFace } from '../face/api-face.js';
import {
  AnswersRefusals,
  type AnyAnswers,
  type ErrorAnswer,
  type RoomAnswers,
} from './room-answers.js';
import { SHARED_RULES, sharedAnswers, type Spelling } from './shared-answers.js';

/** Answers refusals as a face does, by the table that all share and those of the rooms. */
export class AnswerTable implements Spelling {
  private readonly words: Required<AnyAnswers>;

  /**
   * @param rooms the answers of all rooms
   * @param others what is worded otherwise than in `rooms`
   * @throws Error when two rooms answer the same
   */
  constructor(rooms: readonly AnyAnswers[], others: readonly AnyAnswers[] = []) {
    const all: AnyAnswers[] = [{ refusals: sharedAnswers(this), rules: SHARED_RULES }, ...rooms];
    const words = <Value>(
      part: (answers: AnyAnswers) => Readonly<Record<string, Value>> | undefined,
    ) => ({
      ...merged(all.map(part)),
      ...merged(others.map(part)),
    });
    this.words = {
      refusals: words(({ refusals }) => refusals),
      resources: words(({ resources }) => resources),
      rules: words(({ rules }) => rules),
      fields: words(({ fields }) => fields),
    };
  }

  /** @throws Error when its room has not provided its answers */
  answer({ detail }: DomainError): ErrorAnswer {
    return entry(this.words.refusals, detail.code)(detail as never);
  }

  resource(resource: Resource): string {
    return entry(this.words.resources, resource);
  }

  fields(fields: FieldProblems): Record<string, string[]> {
    const texts = Object.entries(fields).map(([field, problems]) => [
      this.words.fields[field] ?? inSnakeCase(field),
      problems.map((problem) => this.problem(problem)),
    ]);
    return Object.fromEntries(texts) as Record<string, string[]>;
  }

  problem(problem: FieldProblem): string {
    const text = entry(this.words.rules, problem.rule);
    return typeof text === 'string' ? text : text(problem);
  }
}

/** The answers to what all rooms share and the platform refuses. */
export const SHARED_ANSWERS = new AnswerTable([]);

/** Answers a refusal of the platform itself, where the rooms need not be there yet. */
export const answerOf = (refusal: DomainError): ErrorAnswer => SHARED_ANSWERS.answer(refusal);

/** Collects the answers of the rooms, which their faces provide by `provideAnswers`. */
@Injectable()
export class RefusalAnswers implements OnModuleInit {
  private tables: ReadonlyMap<ApiFace, AnswerTable> = new Map();

  /** @param faces the versions of the API; the first one also answers refusals outside the API */
  constructor(
    private readonly faces: readonly ApiFace[],
    private readonly discovery: RoomDiscovery,
  ) {}

  /** @throws Error when two rooms answer the same */
  onModuleInit(): void {
    const provided = this.discovery.providers<RoomAnswers>(AnswersRefusals);
    const of = (face: ApiFace): AnyAnswers[] =>
      provided.filter((each) => each.face === face).map(({ answers }) => answers);
    const tableOf = (face: ApiFace): AnswerTable =>
      face.answersLike === undefined
        ? new AnswerTable(of(face))
        : new AnswerTable(of(face.answersLike), of(face));
    this.tables = new Map(this.faces.map((face) => [face, tableOf(face)]));
  }

  /** The answers of a face; those outside the API for undefined. */
  of(face: ApiFace | undefined = this.faces[0]): AnswerTable {
    return (face && this.tables.get(face)) ?? SHARED_ANSWERS;
  }
}

function merged<Value>(
  tables: readonly (Readonly<Record<string, Value>> | undefined)[],
): Record<string, Value> {
  const entries = tables.flatMap((table) => Object.entries(table ?? {}));
  const all = new Map(entries);
  if (all.size < entries.length) throw new Error('Two rooms answer the same refusal');
  return Object.fromEntries(all);
}

function entry<Value>(table: Readonly<Record<string, Value>>, name: string): Value {
  const found = table[name];
  if (found === undefined) throw new Error(`No room answers ${name}`);
  return found;
}

const inSnakeCase = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
