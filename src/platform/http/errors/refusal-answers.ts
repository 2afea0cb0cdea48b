import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RoomDiscovery } from '../../discovery/index.js';
import type { DomainError, FieldProblem, FieldProblems, Resource } from '../../errors/index.js';
import {
  AnswersRefusals,
  type AnyAnswers,
  type ErrorAnswer,
  type RoomAnswers,
} from './room-answers.js';
import { SHARED_RULES, sharedAnswers, type Spelling } from './shared-answers.js';

/** Answers refusals as version 3 does, by the table that all share and those of the rooms. */
export class AnswerTable implements Spelling {
  private readonly words: Required<AnyAnswers>;

  /** @throws Error when two rooms answer the same */
  constructor(rooms: readonly AnyAnswers[]) {
    const all: AnyAnswers[] = [{ refusals: sharedAnswers(this), rules: SHARED_RULES }, ...rooms];
    this.words = {
      refusals: merged(all.map(({ refusals }) => refusals)),
      resources: merged(all.map(({ resources }) => resources)),
      rules: merged(all.map(({ rules }) => rules)),
      fields: merged(all.map(({ fields }) => fields)),
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

/** Collects the answers of the rooms, which their `v3/` provide by `provideAnswers`. */
@Injectable()
export class RefusalAnswers implements OnModuleInit {
  table = SHARED_ANSWERS;

  constructor(private readonly discovery: RoomDiscovery) {}

  /** @throws Error when two rooms answer the same */
  onModuleInit(): void {
    const rooms = this.discovery.providers<RoomAnswers>(AnswersRefusals);
    this.table = new AnswerTable(rooms.map(({ answers }) => answers));
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
