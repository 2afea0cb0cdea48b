/** What clients other than browsers, such as curl, get at `/`. */
export const startText = (url: string): string => `\
Trellis: Git repositories, groups, issues, merge requests and hooks behind one JSON API.

API        ${url}/api/v3/openapi.json
reference  ${url}/help/reference
explorer   ${url}/api/v3/docs
guides     ${url}/help

In a browser, ${url} has pages and a form to sign in.
`;
