export { enumeration } from './enumeration.js';
export { groupBy } from './group-by.js';
export { UnorderedSet } from './unordered-set.js';
export { GrowingBuffer } from './growing-buffer.js';
