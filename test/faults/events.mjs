// Names of events, the same for those who cause them and those who are told.

export const issueOpened = (title) => `issue ${title} open`;
export const branchPushed = (branch) => `push refs/heads/${branch}`;
export const requestOpened = (title) => `merge_request ${title} open`;
export const requestMerged = (title) => `merge_request ${title} merge`;
export const groupMade = (path) => [`group_create ${path}`, `user_add_to_group ${path}`];

const BY_KIND = {
  issue: ({ object_attributes: { title, action } }) => `issue ${title} ${action}`,
  merge_request: ({ object_attributes: { title, action } }) => `merge_request ${title} ${action}`,
  push: ({ ref }) => `push ${ref}`,
  group_create: ({ path }) => `group_create ${path}`,
  user_add_to_group: ({ group_path: path }) => `user_add_to_group ${path}`,
};

/** The event that a body tells of; that of a body nobody expects is the body itself. */
export function nameOf(body) {
  try {
    const payload = JSON.parse(body);
    return BY_KIND[payload.object_kind ?? payload.event_name](payload);
  } catch {
    return `unknown: ${body.toString().slice(0, 200)}`;
  }
}
