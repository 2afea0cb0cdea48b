export { groupBy } from './group-by.js';
export { UnorderedSet } from './unordered-set.js';
