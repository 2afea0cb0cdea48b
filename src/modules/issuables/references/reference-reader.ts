import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import {
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
   * are read. Other work of the process has its turn in between.
   */
  async read(texts: readonly string[]): Promise<TextReferences[]> {
    const { externalUrl } = this.config.http;
    const read: TextReferences[] = [];
    let left = REFERENCE_CHARACTERS_PER_REQUEST;
    let step = 0;
    for (const text of texts) {
      const length = Math.min(text.length, REFERENCE_CHARACTERS_PER_TEXT);
      if (step > 0 && step + length > REFERENCE_CHARACTERS_PER_STEP) {
        await nextTurn();
        step = 0;
      }
      left -= length;
      step += length;
      read.push(left < 0 ? NOTHING : parseReferences(text, externalUrl));
    }
    return read;
  }

  /** Whether one of the texts may say that it closes something; none of them is parsed for it. */
  mayClose(texts: readonly string[]): boolean {
    return texts.some((text) => mayClose(text, this.config.http.externalUrl));
  }
}
