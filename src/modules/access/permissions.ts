import { Level } from './levels.js';

/** Whom an ability belongs to, and what those without it are told. */
export type Permission =
  /** Needs no credential. */
  | { scope: 'anyone' }
  /** Any signed-in account. */
  | { scope: 'user' }
  | { scope: 'admin' }
  /** On the project that the path names: open points 2.3 and 2.5. */
  | {
      scope: 'project';
      least: Level;
      /** Those who see the project by its visibility have it too, whatever their level. */
      visitor: boolean;
      /** Without a credential on public projects; elsewhere the project does not exist for them. */
      open: boolean;
    };

const inProject = (
  least: Level,
  { visitor = false, open = false }: { visitor?: boolean; open?: boolean } = {},
): Permission => ({ scope: 'project', least, visitor, open });

/** The one table of who may do what. A route names its ability; without one it is refused. */
export const PERMISSIONS = {
  'service:describe': { scope: 'anyone' },
  'git:connect': { scope: 'anyone' },
  'session:create': { scope: 'anyone' },
  'self:read': { scope: 'user' },
  'project:list': { scope: 'user' },
  'project:create': { scope: 'user' },
  'project:read': inProject(Level.GUEST, { visitor: true, open: true }),
  'project:delete': inProject(Level.OWNER),
  'runners-token:read': inProject(Level.MASTER),
  'code:read': inProject(Level.REPORTER, { visitor: true }),
  'code:push': inProject(Level.DEVELOPER),
  'branch:push-protected': inProject(Level.MASTER),
  'tag:change': inProject(Level.MASTER),
} as const satisfies Record<string, Permission>;

export type Ability = keyof typeof PERMISSIONS;
