import { Injectable } from '@nestjs/common';
import { runPaced } from '../../../platform/async/index.js';
import { Config } from '../../../platform/config/index.js';
import {
  REFERENCE_CHARACTERS_AT_ONCE,
  REFERENCE_CHARACTERS_PER_REQUEST,
  REFERENCE_CHARACTERS_PER_STEP,
  REFERENCE_CHARACTERS_PER_TEXT,
} from '../../../platform/limits/index.js';
import { mayClose, parseReferences, type TextReferences } from './parse-references.js';

const NOTHING: TextReferences = { mentions: [], issuables: [], closings: [] };

/** Reads what texts refer to, within the budgets of a request or push. */
@Injectable()
export class ReferenceReader {
  constructor(private readonly config: Config) {}

  /**
   * What each of the texts refers to. Texts that are over the budget refer to nothing; the first ones
   * are read. Long texts are read in paced steps.
   */
  async read(texts: readonly string[]): Promise<TextReferences[]> {
    const { externalUrl } = this.config.http;
    const parse = (some: readonly string[]): TextReferences[] =>
      some.map((text) => parseReferences(text, externalUrl));
    const [first = [], ...others] = steps(texts);
    if (others.length === 0 && charactersOf(first) <= REFERENCE_CHARACTERS_AT_ONCE) {
      return parse(first);
    }
    const read: TextReferences[] = [];
    for (const step of [first, ...others]) read.push(...(await runPaced(() => parse(step))));
    return texts.map((_, index) => read[index] ?? NOTHING);
  }

  /** Whether one of the texts may say that it closes something; none of them is parsed for it. */
  mayClose(texts: readonly string[]): boolean {
    return texts.some((text) => mayClose(text, this.config.http.externalUrl));
  }
}

/** The texts that the budget allows to read, in pieces of what is read in one step. */
function steps(texts: readonly string[]): string[][] {
  const pieces: string[][] = [];
  let piece: string[] = [];
  let left = REFERENCE_CHARACTERS_PER_REQUEST;
  let step = 0;
  for (const text of texts) {
    const length = Math.min(text.length, REFERENCE_CHARACTERS_PER_TEXT);
    left -= length;
    if (left < 0) break;
    step += length;
    if (pieces.length === 0 || step > REFERENCE_CHARACTERS_PER_STEP) {
      piece = [];
      pieces.push(piece);
      step = length;
    }
    piece.push(text);
  }
  return pieces;
}

const charactersOf = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + length, 0);
