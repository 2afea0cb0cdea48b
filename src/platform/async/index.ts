export { Deferred } from './deferred.js';
