import { hasUserNameForm, isReservedUserName } from '../../platform/config/index.js';
import type { FieldProblem, FieldProblems } from '../../platform/errors/index.js';

const MAX_LENGTH = 255;
const MAX_DESCRIPTION = 2000;

const NAME = /^[\p{L}\p{M}\p{N}\p{Pd}_. ]+$/u;
const NAME_FORM: FieldProblem = { rule: 'group-name-form' };

/** The texts of a group; undefined ones are not validated. */
interface GroupTexts {
  name?: string | undefined;
  path?: string | undefined;
  description?: string | undefined;
}

/** Validates the texts of a group by the rules of docs/reference/groups.md#names. */
export function groupProblems({ name, path, description = '' }: GroupTexts): FieldProblems {
  return {
    name: name === undefined ? [] : nameProblems(name),
    path: path === undefined ? [] : pathProblems(path),
    description: lengthProblems(description, MAX_DESCRIPTION),
  };
}

function nameProblems(name: string): FieldProblem[] {
  if (name.trim() === '') return [{ rule: 'blank' }];
  const hasForm = NAME.test(name);
  return [...lengthProblems(name, MAX_LENGTH), ...(hasForm ? [] : [NAME_FORM])];
}

function pathProblems(path: string): FieldProblem[] {
  if (path.trim() === '') return [{ rule: 'blank' }];
  if (isReservedUserName(path)) return [{ rule: 'reserved', value: path }];
  const tooLong = lengthProblems(path, MAX_LENGTH);
  return tooLong.length > 0 || hasUserNameForm(path) ? tooLong : [{ rule: 'group-path-form' }];
}

function lengthProblems(text: string, limit: number): FieldProblem[] {
  return [...text].length > limit ? [{ rule: 'too-long', limit }] : [];
}
