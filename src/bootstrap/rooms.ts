import { AuthorizationModule } from '../modules/authorization/index.js';
import { ActivityModule } from '../modules/activity/index.js';
import { AuditModule } from '../modules/audit/index.js';
import { CatalogueModule } from '../modules/catalogue/index.js';
import { ConsoleModule } from '../modules/console/index.js';
import { FeedsModule } from '../modules/feeds/index.js';
import { GroupsModule } from '../modules/groups/index.js';
import { HooksModule } from '../modules/hooks/index.js';
import { IssuablesModule } from '../modules/issuables/index.js';
import { IssuesModule } from '../modules/issues/index.js';
import { MarkdownModule } from '../modules/markdown/index.js';
import { MembershipsModule } from '../modules/memberships/index.js';
import { MergeRequestsModule } from '../modules/merge-requests/index.js';
import { GroupProjectsModule, ProjectsModule } from '../modules/projects/index.js';
import { ReleasesModule } from '../modules/releases/index.js';
import { RepositoryModule } from '../modules/repository/index.js';
import { SettingsModule } from '../modules/settings/index.js';
import { GitAccessModule } from '../modules/git-access/index.js';
import { StorageModule } from '../modules/storage/index.js';
import { UsersModule } from '../modules/users/index.js';
import { WebModule } from '../modules/web/index.js';
import { RoomDiscoveryModule } from '../platform/discovery/index.js';
import { EventsModule } from '../platform/events/index.js';

/** The rooms of the house, from the top to the ground. */
const ROOMS = [
  ConsoleModule,
  WebModule,
  CatalogueModule,
  HooksModule,
  ReleasesModule,
  MergeRequestsModule,
  IssuesModule,
  GitAccessModule,
  MarkdownModule,
  IssuablesModule,
  RepositoryModule,
  FeedsModule,
  MembershipsModule,
  ProjectsModule,
  StorageModule,
  GroupsModule,
  UsersModule,
  SettingsModule,
  AuditModule,
  AuthorizationModule,
  ActivityModule,
];

/** Finds decorated classes and methods of the rooms, from the ground to the top. */
export const ROOM_DISCOVERY = RoomDiscoveryModule.forRooms(ROOMS);

/** The modules of the rooms, and what passes events between them; every process has them all. */
export const ROOM_MODULES = [
  EventsModule,
  ...ROOMS,
  // Last, since the router asks in this order and `groups/:id` would hide the groups' own paths.
  GroupProjectsModule,
];
