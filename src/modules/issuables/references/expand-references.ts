import {
  REFERENCE_CHARACTERS_PER_TEXT,
  REFERENCES_MADE_FULL_PER_TEXT,
} from '../../../platform/limits/index.js';
import { readMarkdown } from './markdown/markdown-text.js';
import type { Occurrence } from './reference.js';
import { LONGEST_TEXT } from '../kinds/issuable.rules.js';
import { scanReferences } from './scan-references.js';

interface PlacedProject {
  readonly namespacePath: string;
  readonly path: string;
}

export interface ExpandedText {
  readonly text: string;
  /** The inserted prefixes with their offsets in the new text, ascending. */
  readonly added: readonly { readonly prefix: string; readonly at: number }[];
}

/**
 * Rewrites the references of a Markdown text that moves to another project, so that they go on meaning
 * the same objects (docs/reference/issues.md#moving): `#7` becomes `namespace/project#7`, and so do `!4`, labels and
 * milestones. Full references stay unchanged, and so do code, comments, everything after the first
 * `REFERENCE_CHARACTERS_PER_TEXT`, and references that would make the text too long.
 *
 * @param most references that are rewritten; further ones stay
 */
export function expandReferences(
  text: string,
  from: PlacedProject,
  to: PlacedProject,
  most: number = REFERENCES_MADE_FULL_PER_TEXT,
): ExpandedText {
  const isSame = from.namespacePath === to.namespacePath && from.path === to.path;
  if (isSame) return { text, added: [] };
  const parts: string[] = [];
  const added: { prefix: string; at: number }[] = [];
  let done = 0;
  let length = text.length;
  for (const block of readMarkdown(text.slice(0, REFERENCE_CHARACTERS_PER_TEXT))) {
    for (const found of scanReferences(block.text, NOWHERE)) {
      const at = block.locate(found.start);
      const prefix = prefixFor(found, from);
      if (at < done || prefix === '') continue;
      if (added.length >= most || length + prefix.length > LONGEST_TEXT) break;
      added.push({ prefix, at: at + length - text.length });
      length += prefix.length;
      parts.push(text.slice(done, at), prefix);
      done = at;
    }
  }
  return { text: parts.join('') + text.slice(done), added };
}

/** Addresses stay as they are: none is to be found. */
const NOWHERE = 'nowhere:';

function prefixFor({ project, sign, name }: Occurrence, from: PlacedProject): string {
  // `~5 minutes` and `%20` are more likely prose than a label or milestone of nothing but digits.
  if ((sign === '~' || sign === '%') && /^\d+$/.test(name)) return '';
  if (project === null) return `${from.namespacePath}/${from.path}`;
  // `a~b` and `5%2` are more likely prose than a label or milestone of a neighbour.
  const names = project.namespace === null && (sign === '#' || sign === '!');
  return names ? `${from.namespacePath}/` : '';
}
