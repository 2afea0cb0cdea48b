const PATTERN = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;
const REFUSED_ENDINGS = ['.', '.git', '.atom'];

/** Names no user and no group may carry, because addresses of the service begin with them
 * (docs/reference/users.md#user-names). */
export const RESERVED_USER_NAMES: ReadonlySet<string> = new Set(
  (
    '.well-known admin all api assets ci dashboard docs files ghost groups healthz help hooks issues ' +
    'merge_requests metrics new notes profile projects public readyz repository robots.txt s search ' +
    'services snippets teams u unsubscribes uploads users'
  ).split(' '),
);

/** Whether a text has the form of a user name (docs/reference/users.md#user-names), reserved or not. */
export function hasUserNameForm(name: string): boolean {
  return (
    name.length <= 255 &&
    PATTERN.test(name) &&
    !REFUSED_ENDINGS.some((ending) => name.endsWith(ending))
  );
}
