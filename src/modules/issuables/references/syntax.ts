// What a reference is, for a renderer in a thread of its own: these files load neither Nest nor TypeORM.
export { OpaqueElements, readHtml } from './markdown/html-tags.js';
export { OPAQUE, SIGNS } from './markdown/inlines.js';
export {
  type NamedProject,
  type NameOccurrence,
  type Occurrence,
  scanHashes,
  scanMentions,
  scanReferences,
} from './scan-references.js';
