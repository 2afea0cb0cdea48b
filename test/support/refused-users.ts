const TOO_LONG = 'is too long (maximum is 255 characters)';
const USERNAME_FORM =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";

/** What no endpoint takes, with what is said about it. */
export const REFUSED_USERS: [object, Record<string, string[]>][] = [
  [{ username: ' ' }, { username: ["can't be blank"] }],
  [{ username: 'a b' }, { username: [USERNAME_FORM] }],
  [{ username: '-a' }, { username: [USERNAME_FORM] }],
  [{ username: 'a.' }, { username: [USERNAME_FORM] }],
  [{ username: 'a.git' }, { username: [USERNAME_FORM] }],
  [{ username: 'a.atom' }, { username: [USERNAME_FORM] }],
  [{ username: '../../etc/passwd' }, { username: [USERNAME_FORM] }],
  [{ username: 'rооt' }, { username: [USERNAME_FORM] }],
  [{ username: "a'--" }, { username: [USERNAME_FORM] }],
  [{ username: 'a'.repeat(256) }, { username: [TOO_LONG] }],
  [{ username: 'ghost' }, { username: ['ghost is a reserved name'] }],
  [{ username: 'a.GIT' }, { username: [USERNAME_FORM] }],
  [{ username: 'Admin' }, { username: ['Admin is a reserved name'] }],
  [{ username: 'robots.txt' }, { username: ['robots.txt is a reserved name'] }],
  [{ name: '' }, { name: ["can't be blank"] }],
  [{ name: '<b></b>' }, { name: ["can't be blank"] }],
  [{ name: 'n'.repeat(256) }, { name: [TOO_LONG] }],
  [{ email: ' ' }, { email: ["can't be blank"] }],
  [{ email: 'no-address' }, { email: ['is invalid'] }],
  [{ email: 'a@b@c' }, { email: ['is invalid'] }],
  [{ email: '@b' }, { email: ['is invalid'] }],
  [{ email: 'a @b' }, { email: ['is invalid'] }],
  [{ email: 'a\u200b@b' }, { email: ['is invalid'] }],
  [{ email: `${'e'.repeat(250)}@b.org` }, { email: [TOO_LONG] }],
  [{ password: 'seven77' }, { password: ['is too short (minimum is 8 characters)'] }],
  [{ password: 'p'.repeat(129) }, { password: ['is too long (maximum is 128 characters)'] }],
  [{ projects_limit: -1 }, { projects_limit: ['must be greater than or equal to 0'] }],
  [{ bio: 'b'.repeat(256) }, { bio: [TOO_LONG] }],
  [{ location: 'l'.repeat(256) }, { location: [TOO_LONG] }],
  [{ skype: 'l'.repeat(256) }, { messenger: [TOO_LONG] }],
  [{ professional_profile: 'l'.repeat(256) }, { professional_profile: [TOO_LONG] }],
  [{ microblog: 'l'.repeat(256) }, { microblog: [TOO_LONG] }],
  [{ website_url: 'l'.repeat(256) }, { website_url: [TOO_LONG] }],
  [{ organization: 'l'.repeat(256) }, { organization: [TOO_LONG] }],
  [{ provider: 'p', extern_uid: 'u'.repeat(256) }, { extern_uid: [TOO_LONG] }],
  [
    { name: ' ', password: 'short', bio: 'b'.repeat(256) },
    {
      name: ["can't be blank"],
      password: ['is too short (minimum is 8 characters)'],
      bio: [TOO_LONG],
    },
  ],
];

/** Malformed parameters, with the text that says so. */
export const MALFORMED_USERS: [object, string][] = [
  [{ admin: 'perhaps' }, 'admin is invalid'],
  [{ projects_limit: 'many' }, 'projects_limit is invalid'],
  [{ projects_limit: 99_999_999_999 }, 'projects_limit is invalid'],
  [{ name: { first: 'A' } }, 'name is invalid'],
  [{ bio: ['a'] }, 'bio is invalid'],
  [{ username: 'a\0b' }, 'username is invalid'],
  [{ provider: 'saml' }, 'extern_uid, provider provide all or none of parameters'],
  [{ extern_uid: 'x' }, 'extern_uid, provider provide all or none of parameters'],
];
