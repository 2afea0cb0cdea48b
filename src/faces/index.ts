import { V3 } from './v3.js';
import { V4 } from './v4.js';

export { V3, V3Controller } from './v3.js';
export { V4, v4Address, V4Controller } from './v4.js';
export { EMPTY_ROUTES, type EmptyRoute, RESOURCES } from './v4-resources.js';

/** The versions of the API. The first one also words refusals outside the API. */
export const FACES = [V3, V4] as const;
