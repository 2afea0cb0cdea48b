import { DataSource, type DataSourceOptions } from 'typeorm';
import { ActivityEvent } from './src/modules/activity/index.js';
import { AuditEvent } from './src/modules/audit/index.js';
import { Namespace } from './src/modules/groups/index.js';
import { GroupMember, ProjectMember, ProjectShare } from './src/modules/memberships/index.js';
import {
  DeployKeyProject,
  ForkLink,
  Project,
  ProjectImport,
  ProjectStar,
  Topic,
} from './src/modules/projects/index.js';
import { ProjectSize, RefMove, StorageReservation } from './src/modules/storage/index.js';
import {
  CommitComment,
  CommitStatus,
  ProtectedBranch,
  PushIntent,
  Release,
} from './src/modules/repository/index.js';
import { Issue, IssueCount, IssueLink } from './src/modules/issues/index.js';
import {
  Award,
  DraftNote,
  GroupInternalId,
  InternalId,
  Label,
  LabelCountChange,
  LabelCounts,
  LabelLink,
  LabelPriority,
  Mention,
  Milestone,
  Note,
  Subscription,
  Todo,
} from './src/modules/issuables/index.js';
import {
  MergeAttempt,
  MergeRequest,
  MergeRequestCount,
  MergeRequestVersion,
} from './src/modules/merge-requests/index.js';
import { ReleaseLink, ReleaseMilestone } from './src/modules/releases/index.js';
import { Hook, HookDelivery, HookEvent } from './src/modules/hooks/index.js';
import { ApplicationSettings } from './src/modules/settings/index.js';
import { Email, Identity, RateLimit, SshKey, User, WebSession } from './src/modules/users/index.js';
import type { Config } from './src/platform/config/index.js';
import {
  PreparingClient,
  type PreparingClientConfig,
  type ReplicasOptions,
  SnakeCaseNamingStrategy,
  type TransactionPoolOptions,
} from './src/platform/database/index.js';
import { GroundFloor1795219200001 } from './src/platform/database/migrations/1795219200001-ground-floor.js';
import { Outbox1795219200002 } from './src/platform/database/migrations/1795219200002-outbox.js';
import { PeopleAndProjects1795305600001 } from './src/platform/database/migrations/1795305600001-people-and-projects.js';
import { Repository1795392000001 } from './src/platform/database/migrations/1795392000001-repository.js';
import { Planning1795478400002 } from './src/platform/database/migrations/1795478400002-planning.js';
import { MergeRequests1795564800001 } from './src/platform/database/migrations/1795564800001-merge-requests.js';
import { Hooks1795651200001 } from './src/platform/database/migrations/1795651200001-hooks.js';
import { DeliveryLog1795737600001 } from './src/platform/database/migrations/1795737600001-delivery-log.js';
import { DeployKeys1795737601500 } from './src/platform/database/migrations/1795737601500-deploy-keys.js';
import { RemovalWishes1795737602001 } from './src/platform/database/migrations/1795737602001-removal-wishes.js';
import { HookPasswords1795737602002 } from './src/platform/database/migrations/1795737602002-hook-passwords.js';
import { SourceBranchRemoval1795737607001 } from './src/platform/database/migrations/1795737607001-source-branch-removal.js';
import { StorageQuota1795738100001 } from './src/platform/database/migrations/1795738100001-storage-quota.js';
import { MovedReferences1795738200001 } from './src/platform/database/migrations/1795738200001-moved-references.js';
import { KeptCounters1795738400000 } from './src/platform/database/migrations/1795738400000-kept-counters.js';
import { CountNotesAndVotes1795738400001 } from './src/platform/database/migrations/1795738400001-count-notes-and-votes.js';
import { WebSessions1795824000000 } from './src/platform/database/migrations/1795824000000-web-sessions.js';
import { Processes1795824100000 } from './src/platform/database/migrations/1795824100000-processes.js';
import { AuditEvents1795824200000 } from './src/platform/database/migrations/1795824200000-audit-events.js';
import { ProcessStatistics } from './src/platform/monitoring/index.js';
import { RunningProcess } from './src/platform/cluster/index.js';
import { JobTraces1795824300000 } from './src/platform/database/migrations/1795824300000-job-traces.js';
import { ProcessLeases1795824400000 } from './src/platform/database/migrations/1795824400000-process-leases.js';
import { RefsVersions1795824500000 } from './src/platform/database/migrations/1795824500000-refs-versions.js';
import { BoundedCounts1795824700000 } from './src/platform/database/migrations/1795824700000-bounded-counts.js';
import { FairJobs1795825000001 } from './src/platform/database/migrations/1795825000001-fair-jobs.js';
import { LabelCounts1795825100000 } from './src/platform/database/migrations/1795825100000-label-counts.js';
import { CountLabels1795825100001 } from './src/platform/database/migrations/1795825100001-count-labels.js';
import { ConfidentialLinks1795825100002 } from './src/platform/database/migrations/1795825100002-confidential-links.js';
import { SettledReferences1795825200000 } from './src/platform/database/migrations/1795825200000-settled-references.js';
import { SettleReferences1795825200001 } from './src/platform/database/migrations/1795825200001-settle-references.js';
import { PushedRefs1795825300000 } from './src/platform/database/migrations/1795825300000-pushed-refs.js';
import { FillPushedRefs1795825300001 } from './src/platform/database/migrations/1795825300001-fill-pushed-refs.js';
import { StatusCoverage1795825405000 } from './src/platform/database/migrations/1795825405000-status-coverage.js';
import { PipelineLists1795825600000 } from './src/platform/database/migrations/1795825600000-pipeline-lists.js';
import { IssueAssignees1795825700000 } from './src/platform/database/migrations/1795825700000-issue-assignees.js';
import { MergeRequestAssignees1795825710000 } from './src/platform/database/migrations/1795825710000-merge-request-assignees.js';
import { FillAssignees1795825720000 } from './src/platform/database/migrations/1795825720000-fill-assignees.js';
import { IssueAssigneeIndexes1795825730000 } from './src/platform/database/migrations/1795825730000-issue-assignee-indexes.js';
import { MergeRequestAssigneeIndexes1795825740000 } from './src/platform/database/migrations/1795825740000-merge-request-assignee-indexes.js';
import { MergeMethods1795825800000 } from './src/platform/database/migrations/1795825800000-merge-methods.js';
import { SquashedMergeRequests1795825810000 } from './src/platform/database/migrations/1795825810000-squashed-merge-requests.js';
import { MergeResults1795825820000 } from './src/platform/database/migrations/1795825820000-merge-results.js';
import { Rebases1795825900000 } from './src/platform/database/migrations/1795825900000-rebases.js';
import { SshKeyDigests1795826000000 } from './src/platform/database/migrations/1795826000000-ssh-key-digests.js';
import { UploadIds1795826100000 } from './src/platform/database/migrations/1795826100000-upload-ids.js';
import { DeployKeysThatPush1795826110000 } from './src/platform/database/migrations/1795826110000-deploy-keys-that-push.js';
import { Topics1795826120000 } from './src/platform/database/migrations/1795826120000-topics.js';
import { Releases1795826200000 } from './src/platform/database/migrations/1795826200000-releases.js';
import { Discussions1795826210000 } from './src/platform/database/migrations/1795826210000-discussions.js';
import { DiscussionIndexes1795826211000 } from './src/platform/database/migrations/1795826211000-discussion-indexes.js';
import { CommitDiscussions1795826213000 } from './src/platform/database/migrations/1795826213000-commit-discussions.js';
import { Approvals1795826220000 } from './src/platform/database/migrations/1795826220000-approvals.js';
import { ApprovedMergeRequests1795826221000 } from './src/platform/database/migrations/1795826221000-approved-merge-requests.js';
import { ApprovalIndex1795826222000 } from './src/platform/database/migrations/1795826222000-approval-index.js';
import { TimeTracking1795826223000 } from './src/platform/database/migrations/1795826223000-time-tracking.js';
import { IssueLinks1795826224000 } from './src/platform/database/migrations/1795826224000-issue-links.js';
import { DraftNotes1795826300000 } from './src/platform/database/migrations/1795826300000-draft-notes.js';
import { LockedDiscussions1795826800000 } from './src/platform/database/migrations/1795826800000-locked-discussions.js';
import { LabelsOfGroups1795826500000 } from './src/platform/database/migrations/1795826500000-labels-of-groups.js';
import { IssuesOfGroupMilestones1795826500001 } from './src/platform/database/migrations/1795826500001-issues-of-group-milestones.js';
import { HooksOfVersion41795826400000 } from './src/platform/database/migrations/1795826400000-hooks-of-version-4.js';
import { OutboxJob } from './src/platform/queue/index.js';

export interface DatabaseSettings {
  url: string;
  /** Connections this process may hold at most. */
  poolSize: number;
  /** A statement that runs longer is cancelled by the server. */
  statementTimeoutMs: number;
  /** How sessions are called in the server's views; by default as those of the service. */
  applicationName?: string;
  /** Whether the address is that of a pooler in transaction mode, which takes no settings of a session. */
  isPooled?: boolean;
  /** Whether statements are prepared under names. Default: true. */
  preparesStatements?: boolean;
}

export const entities = [
  ActivityEvent,
  ApplicationSettings,
  AuditEvent,
  Award,
  CommitComment,
  CommitStatus,
  DeployKeyProject,
  DraftNote,
  Email,
  ForkLink,
  GroupInternalId,
  GroupMember,
  Hook,
  HookDelivery,
  HookEvent,
  Identity,
  InternalId,
  Issue,
  IssueCount,
  IssueLink,
  Label,
  LabelCountChange,
  LabelCounts,
  LabelLink,
  LabelPriority,
  Mention,
  MergeAttempt,
  MergeRequest,
  MergeRequestCount,
  MergeRequestVersion,
  Milestone,
  Namespace,
  Note,
  OutboxJob,
  ProcessStatistics,
  Project,
  ProjectImport,
  ProjectMember,
  ProjectShare,
  ProjectSize,
  ProjectStar,
  ProtectedBranch,
  PushIntent,
  RateLimit,
  RefMove,
  Release,
  ReleaseLink,
  ReleaseMilestone,
  RunningProcess,
  SshKey,
  StorageReservation,
  Subscription,
  Todo,
  Topic,
  User,
  WebSession,
];

export const migrations = [
  GroundFloor1795219200001,
  Outbox1795219200002,
  PeopleAndProjects1795305600001,
  Repository1795392000001,
  Planning1795478400002,
  MergeRequests1795564800001,
  Hooks1795651200001,
  DeliveryLog1795737600001,
  DeployKeys1795737601500,
  RemovalWishes1795737602001,
  HookPasswords1795737602002,
  SourceBranchRemoval1795737607001,
  StorageQuota1795738100001,
  MovedReferences1795738200001,
  KeptCounters1795738400000,
  CountNotesAndVotes1795738400001,
  WebSessions1795824000000,
  Processes1795824100000,
  AuditEvents1795824200000,
  JobTraces1795824300000,
  ProcessLeases1795824400000,
  RefsVersions1795824500000,
  BoundedCounts1795824700000,
  FairJobs1795825000001,
  LabelCounts1795825100000,
  CountLabels1795825100001,
  ConfidentialLinks1795825100002,
  SettledReferences1795825200000,
  SettleReferences1795825200001,
  PushedRefs1795825300000,
  FillPushedRefs1795825300001,
  StatusCoverage1795825405000,
  PipelineLists1795825600000,
  IssueAssignees1795825700000,
  MergeRequestAssignees1795825710000,
  FillAssignees1795825720000,
  IssueAssigneeIndexes1795825730000,
  MergeRequestAssigneeIndexes1795825740000,
  MergeMethods1795825800000,
  SquashedMergeRequests1795825810000,
  MergeResults1795825820000,
  Rebases1795825900000,
  SshKeyDigests1795826000000,
  UploadIds1795826100000,
  DeployKeysThatPush1795826110000,
  Topics1795826120000,
  Releases1795826200000,
  Discussions1795826210000,
  DiscussionIndexes1795826211000,
  CommitDiscussions1795826213000,
  Approvals1795826220000,
  ApprovedMergeRequests1795826221000,
  ApprovalIndex1795826222000,
  TimeTracking1795826223000,
  IssueLinks1795826224000,
  DraftNotes1795826300000,
  LockedDiscussions1795826800000,
  LabelsOfGroups1795826500000,
  IssuesOfGroupMilestones1795826500001,
  HooksOfVersion41795826400000,
];

/**
 * What a statement may take beyond the time at which PostgreSQL cancels it. Statements that are sent together are answered
 * together, and each has that time for itself.
 */
const answerLimitOf = ({
  statementTimeoutMs,
}: Pick<DatabaseSettings, 'statementTimeoutMs'>): number =>
  statementTimeoutMs === 0 ? Infinity : 2 * statementTimeoutMs + 10_000;

/** How each connection to PostgreSQL is made. */
function clientConfig(settings: Omit<DatabaseSettings, 'url'>): PreparingClientConfig {
  const { isPooled = false, preparesStatements = true } = settings;
  return {
    isPooled,
    preparesStatements,
    answerLimitMs: answerLimitOf(settings),
    sessionName: settings.applicationName,
    ...(!isPooled && { statement_timeout: settings.statementTimeoutMs }),
  };
}

/** The one description of how TypeORM reaches PostgreSQL, for the service, the tests and its CLI. */
export function dataSourceOptions(settings: DatabaseSettings): DataSourceOptions {
  return {
    type: 'postgres',
    url: settings.url,
    entities,
    migrations,
    migrationsTransactionMode: 'each',
    synchronize: false,
    namingStrategy: new SnakeCaseNamingStrategy(),
    poolSize: settings.poolSize,
    applicationName: settings.applicationName ?? 'trellis',
    extra: { Client: PreparingClient, ...clientConfig(settings) },
  };
}

/** How the connections of pushes are made, which are as those of the shared pool. */
export const pushPoolOptions = (
  { url, ...settings }: DatabaseSettings,
  size: number,
): TransactionPoolOptions => ({ url, size, client: clientConfig(settings) });

/** How the standbys that answer reads are reached: past poolers. */
export function replicasOptions(
  { database }: Pick<Config, 'database'>,
  applicationName = 'trellis',
): ReplicasOptions {
  const { replicaUrls: urls, poolSize, statementTimeoutMs } = database;
  return {
    urls,
    poolSize,
    client: clientConfig({ poolSize, statementTimeoutMs, applicationName }),
  };
}

/** What TypeORM's command line works on: `npx typeorm migration:show -d dist/ormconfig.js`. */
export default new DataSource(
  dataSourceOptions({
    url: process.env['DATABASE_URL'] ?? '',
    poolSize: 2,
    statementTimeoutMs: 0,
  }),
);
