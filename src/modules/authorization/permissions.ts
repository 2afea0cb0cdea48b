/** The roles of members. `VISITOR` is the level of users who see a project by its visibility alone. */
export const Level = {
  VISITOR: 0,
  GUEST: 10,
  REPORTER: 20,
  DEVELOPER: 30,
  MASTER: 40,
  OWNER: 50,
} as const;

export type Level = (typeof Level)[keyof typeof Level];

/** Who sees a project or group without being a member: nobody, signed-in users, everybody. */
export const VISIBILITIES = ['private', 'internal', 'public'] as const;

export type Visibility = (typeof VISIBILITIES)[number];

/** Whether more users see what has the one visibility than what has the other. */
export function isMoreVisible(one: Visibility, other: Visibility): boolean {
  return VISIBILITIES.indexOf(one) > VISIBILITIES.indexOf(other);
}

/** Returns the visibility that the fewest users see. */
export function leastVisible(first: Visibility, ...others: Visibility[]): Visibility {
  return others.reduce((least, one) => (isMoreVisible(least, one) ? one : least), first);
}

/** Who has an ability, and how the others are refused. */
export type Permission =
  /** Needs no credential, and ignores any. */
  | { scope: 'anyone' }
  /** Works without a credential; a given one identifies the caller. */
  | { scope: 'open' }
  /** Any signed-in account. */
  | { scope: 'user' }
  | { scope: 'admin' }
  /** On the project that the path names. */
  | {
      scope: 'project';
      least: Level;
      /** Those who see the project by its visibility have it too, whatever their level. */
      visitor: boolean;
      /** Without a credential on public projects; elsewhere the project does not exist for them. */
      open: boolean;
      /** Only administrators have it; all others are refused before the project is looked up. */
      adminOnly: boolean;
    }
  /** On the group that the path names. */
  | {
      scope: 'group';
      least: Level;
      /** Those who see the group without being members have it too. */
      visitor: boolean;
      /** Also those who see it only by a project that is shared with it. */
      sharing: boolean;
      /** Without a credential on public groups; elsewhere the group does not exist for them. */
      open: boolean;
      adminOnly: boolean;
    };

interface Options {
  visitor?: boolean;
  sharing?: boolean;
  open?: boolean;
  adminOnly?: boolean;
}

const inProject = (
  least: Level,
  { visitor = false, open = false, adminOnly = false }: Options = {},
): Permission => ({ scope: 'project', least, visitor, open, adminOnly });

const inGroup = (
  least: Level,
  { visitor = false, sharing = visitor, open = false, adminOnly = false }: Options = {},
): Permission => ({ scope: 'group', least, visitor, sharing, open, adminOnly });

/** The one table of who may do what. A route names its ability; without one it is refused. */
export const PERMISSIONS = {
  'service:describe': { scope: 'anyone' },
  'git:connect': { scope: 'anyone' },
  'upload:download': { scope: 'anyone' },
  // Pages identify their readers themselves, by the session of a browser.
  'page:open': { scope: 'anyone' },
  'session:create': { scope: 'anyone' },

  'self:read': { scope: 'user' },
  'self:edit': { scope: 'user' },
  'user:read': { scope: 'user' },
  // The same in version 4, which shows anonymous readers the little that is public.
  'user:search': { scope: 'open' },
  'user:administer': { scope: 'admin' },
  'metrics:read': { scope: 'admin' },
  'audit-event:read': { scope: 'admin' },
  'settings:administer': { scope: 'admin' },
  'version:read': { scope: 'user' },
  'namespace:list': { scope: 'user' },
  'topic:read': { scope: 'user' },
  'markdown:render': { scope: 'user' },
  'system-hook:administer': { scope: 'admin' },
  'deploy-key:list-all': { scope: 'admin' },

  'group:list': { scope: 'user' },
  // The same in version 4, which shows public groups to anonymous readers.
  'group:search': { scope: 'open' },
  'group:create': { scope: 'user' },
  'group:read': inGroup(Level.GUEST, { visitor: true }),
  // The same, in version 4.
  'group:browse': inGroup(Level.GUEST, { visitor: true, open: true }),
  'group:edit': inGroup(Level.OWNER),
  'group-label:read': inGroup(Level.GUEST, { visitor: true, sharing: false }),
  // The same without a credential, and for milestones.
  'group-label:browse': inGroup(Level.GUEST, { visitor: true, sharing: false, open: true }),
  'group-label:edit': inGroup(Level.REPORTER),
  'group-milestone:browse': inGroup(Level.GUEST, { visitor: true, sharing: false, open: true }),
  'group-milestone:edit': inGroup(Level.REPORTER),
  'group:receive-project': inGroup(Level.OWNER, { adminOnly: true }),
  'group-member:read': inGroup(Level.GUEST, { visitor: true, sharing: false }),
  'group-member:edit': inGroup(Level.OWNER),
  // Every member may leave; the service checks who removes others.
  'group-member:remove': inGroup(Level.GUEST, { visitor: true, sharing: false }),

  'project:list': { scope: 'user' },
  'project:list-all': { scope: 'admin' },
  'project:search': { scope: 'open' },
  'project:create': { scope: 'user' },
  'project:create-for-user': { scope: 'admin' },
  'project:read': inProject(Level.GUEST, { visitor: true, open: true }),
  'project:read-members': inProject(Level.GUEST, { visitor: true }),
  'project:star': inProject(Level.GUEST, { visitor: true }),
  'project:upload': inProject(Level.GUEST, { visitor: true }),
  'project:fork': inProject(Level.REPORTER, { visitor: true }),
  'project:edit': inProject(Level.MASTER),
  'project:rename': inProject(Level.OWNER),
  'project:archive': inProject(Level.OWNER),
  'project:transfer': inProject(Level.OWNER),
  'project:delete': inProject(Level.OWNER),
  'project:share': inProject(Level.MASTER),
  'project:relate-fork': inProject(Level.GUEST, { adminOnly: true }),
  'project-member:edit': inProject(Level.MASTER),
  // Every member may leave; the service checks who removes others.
  'project-member:remove': inProject(Level.GUEST, { visitor: true }),
  'runners-token:read': inProject(Level.MASTER),
  'project-hook:administer': inProject(Level.MASTER),
  'deploy-key:administer': inProject(Level.MASTER),

  'issue:list': { scope: 'user' },
  // The same in version 4, and of merge requests: anonymous readers may ask for those of public projects.
  'issue:search': { scope: 'open' },
  'issue:read': inProject(Level.GUEST, { visitor: true }),
  // The same in version 4, which shows public projects to anonymous readers.
  'issue:browse': inProject(Level.GUEST, { visitor: true, open: true }),
  'issue:read-confidential': inProject(Level.REPORTER),
  'issue:create': inProject(Level.GUEST, { visitor: true }),
  // Authors and assignees may edit their own; the service checks whose it is.
  'issue:edit': inProject(Level.GUEST, { visitor: true }),
  'issue:edit-any': inProject(Level.REPORTER),
  // Labels, milestone, assignee and due date.
  'issue:triage': inProject(Level.REPORTER),
  // The service answers others with 400.
  'issue:move': inProject(Level.GUEST, { visitor: true }),
  'issue:delete': inProject(Level.OWNER),
  'issue:set-times': inProject(Level.OWNER),
  'merge-request:list': inProject(Level.REPORTER, { visitor: true }),
  // The same in version 4, which shows public projects to anonymous readers.
  'merge-request:browse-all': inProject(Level.REPORTER, { visitor: true, open: true }),
  // Authors and assignees may read and edit their own; the service checks whose it is.
  'merge-request:read': inProject(Level.GUEST, { visitor: true }),
  // The same, in version 4.
  'merge-request:browse': inProject(Level.GUEST, { visitor: true, open: true }),
  'merge-request:read-any': inProject(Level.REPORTER, { visitor: true }),
  'merge-request:create': inProject(Level.DEVELOPER),
  'merge-request:edit': inProject(Level.GUEST, { visitor: true }),
  'merge-request:edit-any': inProject(Level.DEVELOPER),
  // Of others; the service answers those who may not with 401.
  'merge-request:approve': inProject(Level.DEVELOPER),
  // Labels, milestone and assignee.
  'merge-request:triage': inProject(Level.DEVELOPER),
  // The branch decides; the service answers others with 401.
  'merge-request:accept': inProject(Level.GUEST, { visitor: true }),
  'merge-request:delete': inProject(Level.OWNER),
  'note:edit-any': inProject(Level.MASTER),
  // Where the discussion is locked.
  'note:write-locked': inProject(Level.GUEST),
  // The author of a merge request may as well; the service checks whose it is.
  'note:resolve': inProject(Level.DEVELOPER),
  'label:read': inProject(Level.GUEST, { visitor: true }),
  // The same in version 4, which shows public projects to anonymous readers.
  'label:browse': inProject(Level.GUEST, { visitor: true, open: true }),
  'label:edit': inProject(Level.REPORTER),
  'milestone:read': inProject(Level.GUEST, { visitor: true }),
  // The same in version 4, which shows public projects to anonymous readers.
  'milestone:browse': inProject(Level.GUEST, { visitor: true, open: true }),
  'milestone:edit': inProject(Level.MASTER),
  // The same, in version 4.
  'milestone:plan': inProject(Level.REPORTER),
  'todo:read': { scope: 'user' },
  'todo:finish': { scope: 'user' },

  'code:read': inProject(Level.REPORTER, { visitor: true }),
  // The same in version 4, which shows public projects to anonymous readers.
  'code:browse': inProject(Level.REPORTER, { visitor: true, open: true }),
  // Without tag, commit and sources for those who may not read the code.
  'release:browse': inProject(Level.GUEST, { visitor: true, open: true }),
  // The setting of public builds decides below level reporter; the service answers others with 403.
  'pipeline:read': inProject(Level.GUEST, { visitor: true }),
  'pipeline:read-any': inProject(Level.REPORTER),
  'commit-comment:create': inProject(Level.REPORTER, { visitor: true }),
  'status:post': inProject(Level.DEVELOPER),
  'code:push': inProject(Level.DEVELOPER),
  'branch:push-protected': inProject(Level.MASTER),
  'branch:protect': inProject(Level.MASTER),
  'tag:change': inProject(Level.MASTER),
} as const satisfies Record<string, Permission>;

export type Ability = keyof typeof PERMISSIONS;

/** Whether only administrators have the ability; all others are refused before any look-up. */
export function isAdminOnly(permission: Permission): boolean {
  return permission.scope === 'admin' || ('adminOnly' in permission && permission.adminOnly);
}

/** Whether a call without a credential gets past the first guard. */
export function isOpen(permission: Permission): boolean {
  return (
    permission.scope === 'anyone' ||
    permission.scope === 'open' ||
    ((permission.scope === 'project' || permission.scope === 'group') && permission.open)
  );
}
