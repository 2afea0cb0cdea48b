import type { Credentials } from '../modules/users/index.js';

/** What the first start tells about the administrator: once, and nowhere kept in the clear. */
export function administratorNotice({ username, password, token }: Credentials): string {
  return [
    '',
    'The administrator of this new instance (shown once, keep it):',
    `  user name  ${username}`,
    `  password   ${password}`,
    `  token      ${token}`,
    '',
  ].join('\n');
}

/** Where the service is, and three commands that show it at work. */
export function welcome(externalUrl: string, token: string | undefined): string {
  const header = `-H "PRIVATE-TOKEN: ${token ?? '$TOKEN'}"`;
  return [
    '',
    `Trellis serves at ${externalUrl}`,
    '',
    'Try:',
    `  curl ${header} ${externalUrl}/api/v3/user`,
    `  curl ${header} -d name=first ${externalUrl}/api/v3/projects`,
    `  curl ${header} ${externalUrl}/api/v3/projects`,
    '',
  ].join('\n');
}
