import { isDeepStrictEqual } from 'node:util';
import type { ApplicationSettings } from './application-settings.entity.js';

type Field = Exclude<keyof ApplicationSettings, 'id' | 'createdAt' | 'updatedAt'>;

/** What a list field that cannot be null falls back to. */
const LIST_DEFAULTS = { domainBlacklist: [], repositoryStorages: ['default'] };

type ListWithDefault = keyof typeof LIST_DEFAULTS;

/** New values by field; undefined is "not given", null brings back the default. */
export type SettingsChanges = {
  [F in Field]?: ApplicationSettings[F] | undefined | (F extends ListWithDefault ? null : never);
} & {
  /** The first of `repositoryStorages`; a new one replaces them all. */
  repositoryStorage?: string | undefined;
};

/** The values to store, of the fields that were given and are not so already. */
export function valuesOf(
  current: ApplicationSettings,
  { repositoryStorage, ...changes }: SettingsChanges,
): Partial<ApplicationSettings> {
  const given = {
    ...changes,
    restrictedVisibilityLevels:
      changes.restrictedVisibilityLevels && unique(changes.restrictedVisibilityLevels),
    domainBlacklist: orDefault('domainBlacklist', changes.domainBlacklist),
    repositoryStorages: storages(current, repositoryStorage, changes.repositoryStorages),
  };
  const isNew = ([field, value]: [string, unknown]) =>
    value !== undefined && !isDeepStrictEqual(value, Reflect.get(current, field));
  return Object.fromEntries(Object.entries(given).filter(isNew));
}

/**
 * Clients that send back all they read give both names: the one that was changed counts, the list
 * where both were.
 */
function storages(
  current: ApplicationSettings,
  first: string | undefined,
  list: string[] | null | undefined,
): string[] | undefined {
  const given = orDefault('repositoryStorages', list);
  if (given === undefined) return first === undefined ? undefined : [first];
  const asked = unique(given);
  if (first === undefined) return asked;
  const isEcho = asked.join() === current.repositoryStorages.join();
  return isEcho && first !== asked[0] ? [first] : asked;
}

function orDefault(field: ListWithDefault, list: string[] | null | undefined) {
  return list === null ? [...LIST_DEFAULTS[field]] : list;
}

function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}
