import { rowsByKey } from '../../../platform/database/index.js';

/** A part of FROM: the topic with a name, in any case. @param name a parameter or a column, as in `rowsByKey` */
export const topicByName = (name: string): string =>
  rowsByKey('topics', 'lower(topics.name)', `lower(${name})`, 'true');
