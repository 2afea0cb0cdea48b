import { REFERENCE_CHARACTERS_PER_TEXT } from './parse-references.js';
import { LONGEST_TEXT } from '../model/issuable.rules.js';
import { readMarkdown } from './markdown/markdown-text.js';
import { mayName, type NamedPath } from './reference.js';
import { type Occurrence, scanReferences } from './scan-references.js';

/** References of one text that moves make full or escape. */
const REFERENCES_CHANGED_PER_MOVED_TEXT = 1_000;

/** The signs of references as HTML escapes them, where a backslash is text. */
const IN_HTML = { '#': '&#35;', '!': '&#33;', '~': '&#126;', '%': '&#37;' };

/**
 * Rewrites the references of a Markdown text that moves to another project, so that none of them refers to an object of
 * that project (docs/reference/issues.md#moving). Where texts of the target may name the source, `#7` becomes
 * `namespace/project#7`; elsewhere it is escaped: `\#7`. So are `!4`, labels and milestones. Full references stay
 * unchanged, and so do code, comments, texts of links, everything after the first `REFERENCE_CHARACTERS_PER_TEXT`, and
 * references that would make the text too long.
 */
export function moveReferences(text: string, from: NamedPath, to: NamedPath): string {
  const isNamed = mayName(from, to);
  const parts: string[] = [];
  let [done, left, length] = [0, REFERENCES_CHANGED_PER_MOVED_TEXT, text.length];
  for (const block of readMarkdown(text.slice(0, REFERENCE_CHARACTERS_PER_TEXT))) {
    for (const found of scanReferences(block.text, NOWHERE)) {
      const prefix = prefixFor(found, from);
      const at = block.locate(isNamed ? found.start : signOf(found));
      if (at < done || prefix === '') continue;
      const escaped = block.isHtml ? IN_HTML[found.sign] : `\\${found.sign}`;
      const written = isNamed ? prefix : escaped;
      const end = isNamed ? at : at + found.sign.length;
      const longer = length + written.length - (end - at);
      if (left === 0 || longer > LONGEST_TEXT) break;
      parts.push(text.slice(done, at), written);
      [done, left, length] = [end, left - 1, longer];
    }
  }
  return parts.join('') + text.slice(done);
}

/** Addresses stay as they are: none is to be found. */
const NOWHERE = 'nowhere:';

/** Returns the offset of the sign of a reference without a namespace. */
const signOf = ({ start, project }: Occurrence): number => start + (project?.path.length ?? 0);

/** Returns what makes a reference full; empty for one that is full, and for what is more likely prose. */
function prefixFor({ project, sign, name }: Occurrence, from: NamedPath): string {
  // `~5 minutes` and `%20` are more likely prose than a label or milestone of nothing but digits.
  if ((sign === '~' || sign === '%') && /^\d+$/.test(name)) return '';
  if (project === null) return `${from.namespacePath}/${from.path}`;
  // `a~b` and `5%2` are more likely prose than a label or milestone of a neighbour.
  const names = project.namespace === null && (sign === '#' || sign === '!');
  return names ? `${from.namespacePath}/` : '';
}
