const NAME_TEXT = "can contain only letters, digits, '_', '.', dash and space.";
const PATH_TEXT =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";
/** Said of a name or path that somebody has. */
export const TAKEN = ['has already been taken'];
const BLANK = ["can't be blank"];
const TOO_LONG = ['is too long (maximum is 255 characters)'];

/** What nobody may give to a group, and how it is refused by field. */
export const REFUSED_GROUPS: [object, Record<string, string[]>][] = [
  [{ name: '' }, { name: BLANK }],
  [{ name: ' \t ' }, { name: BLANK }],
  [{ name: 'n'.repeat(256) }, { name: TOO_LONG }],
  [{ name: 'a/b' }, { name: [NAME_TEXT] }],
  [{ name: '<script>' }, { name: [NAME_TEXT] }],
  [{ name: "x' OR '1'='1" }, { name: [NAME_TEXT] }],
  [{ name: 'new\nline' }, { name: [NAME_TEXT] }],
  [{ name: 'zero\u200Bwidth' }, { name: [NAME_TEXT] }],
  [{ name: 'right\u202Eleft' }, { name: [NAME_TEXT] }],
  [{ path: '' }, { path: BLANK }],
  [{ path: 'p'.repeat(256) }, { path: TOO_LONG }],
  [{ path: 'a b' }, { path: [PATH_TEXT] }],
  [{ path: '-a' }, { path: [PATH_TEXT] }],
  [{ path: 'a.' }, { path: [PATH_TEXT] }],
  [{ path: 'a.git' }, { path: [PATH_TEXT] }],
  [{ path: 'a.atom' }, { path: [PATH_TEXT] }],
  [{ path: '..' }, { path: [PATH_TEXT] }],
  [{ path: '../etc' }, { path: [PATH_TEXT] }],
  [{ path: 'a%2Fb' }, { path: [PATH_TEXT] }],
  [{ path: 'gr\u043Eup' }, { path: [PATH_TEXT] }],
  [{ path: 'groups' }, { path: ['groups is a reserved name'] }],
  [{ path: '.well-known' }, { path: ['.well-known is a reserved name'] }],
  [{ path: 'a.Atom' }, { path: [PATH_TEXT] }],
  [{ path: 'API' }, { path: ['API is a reserved name'] }],
  [{ path: 'readyz' }, { path: ['readyz is a reserved name'] }],
  [
    { description: 'd'.repeat(2001) },
    { description: ['is too long (maximum is 2000 characters)'] },
  ],
  [
    { name: '?', path: '?' },
    { name: [NAME_TEXT], path: [PATH_TEXT] },
  ],
];
