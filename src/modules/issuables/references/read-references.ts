import { runPaced } from '../../../platform/async/index.js';
import {
  REFERENCE_CHARACTERS_AT_ONCE,
  REFERENCE_CHARACTERS_PER_REQUEST,
  REFERENCE_CHARACTERS_PER_STEP,
  REFERENCE_CHARACTERS_PER_TEXT,
} from '../../../platform/limits/index.js';
import { parseReferences, type TextReferences } from './parse-references.js';

const NO_REFERENCES: TextReferences = { mentions: [], issuables: [], closings: [] };

/**
 * Parses the references in each of the texts. The first texts are parsed until the budget of a request is used up;
 * the others have none. Long texts are parsed in paced steps.
 * @param externalUrl the address of this installation's web interface
 */
export async function readReferences(
  texts: readonly string[],
  externalUrl: string,
): Promise<TextReferences[]> {
  const parse = (some: readonly string[]): TextReferences[] =>
    some.map((text) => parseReferences(text, externalUrl));
  const [first = [], ...others] = stepsOf(texts);
  if (others.length === 0 && charactersOf(first) <= REFERENCE_CHARACTERS_AT_ONCE) {
    const read = parse(first);
    return texts.map((_, index) => read[index] ?? NO_REFERENCES);
  }
  const read: TextReferences[] = [];
  for (const step of [first, ...others]) read.push(...(await runPaced(() => parse(step))));
  return texts.map((_, index) => read[index] ?? NO_REFERENCES);
}

/** Divides the texts within the budget into steps. */
function stepsOf(texts: readonly string[]): string[][] {
  const steps: string[][] = [];
  let step: string[] = [];
  let left = REFERENCE_CHARACTERS_PER_REQUEST;
  let characters = 0;
  for (const text of texts) {
    const length = Math.min(text.length, REFERENCE_CHARACTERS_PER_TEXT);
    left -= length;
    if (left < 0) break;
    characters += length;
    if (steps.length === 0 || characters > REFERENCE_CHARACTERS_PER_STEP) {
      step = [];
      steps.push(step);
      characters = length;
    }
    step.push(text);
  }
  return steps;
}

const charactersOf = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + length, 0);
