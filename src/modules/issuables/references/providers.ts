import { CrossReferences } from './cross-references.js';
import { HiddenReferences } from './hidden-references.js';
import { ReferenceReader } from './reference-reader.js';
import { ReferencedIssuables } from './referenced-issuables.js';
import { TextEffects } from './text-effects.js';

/** What texts refer to. */
export const REFERENCE_PROVIDERS = [
  CrossReferences,
  HiddenReferences,
  ReferencedIssuables,
  ReferenceReader,
  TextEffects,
];
