import { SetMetadata } from '@nestjs/common';

/**
 * What a path value that is not a number says: that the parameter is invalid (400), or that there is
 * no such route (404, as for users). `long`: invalid as well, and ids may be larger than `MAX_ID`. `text`: it is
 * not an id alone, and reaches the handler as it came.
 */
export type PathIdRule = 'invalid' | 'no route' | 'long' | 'text';

export const PATH_IDS = Symbol('path values that are ids');

/**
 * Says which path values of a handler or controller are ids, beyond those whose name ends in `_id`,
 * and what it means when one is not made of digits. Every id reaches the handler as a number.
 *
 * `@PathIds({ id: 'no route' })` on `users/:id`: `/users/zoe` is not a route.
 */
export const PathIds = (ids: Readonly<Record<string, PathIdRule>>) => SetMetadata(PATH_IDS, ids);
