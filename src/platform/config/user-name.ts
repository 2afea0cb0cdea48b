const PATTERN = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;
const REFUSED_ENDINGS = ['.', '.git', '.atom'];

/** Names no user and no group may carry, in lower case. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    '.well-known admin all api assets ci dashboard docs files ghost groups healthz help hooks issues ' +
    'merge_requests metrics new notes profile projects public readyz repository robots.txt s search ' +
    'services snippets teams u unsubscribes uploads users'
  ).split(' '),
);

/**
 * Whether addresses of the service begin with a name, in any case, so that no user and no group may carry it
 * (docs/reference/users.md#user-names).
 */
export const isReservedUserName = (name: string): boolean => RESERVED.has(name.toLowerCase());

/** Whether a text has the form of a user name (docs/reference/users.md#user-names), reserved or not. */
export function hasUserNameForm(name: string): boolean {
  return (
    name.length <= 255 &&
    PATTERN.test(name) &&
    !REFUSED_ENDINGS.some((ending) => name.toLowerCase().endsWith(ending))
  );
}
