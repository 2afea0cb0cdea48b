import { BuildPayloads } from './build-payloads.js';
import { CommitFiles } from './commit-files.js';
import { CommitNotePayloads } from './commit-note-payloads.js';
import { CommitObjects } from './commit-object.js';
import { HookBodies } from './hook-bodies.js';
import { IssuePayloads } from './issue-payloads.js';
import { MergeRequestObjects, MergeRequestPayloads } from './merge-request-payloads.js';
import { NotePayloads } from './note-payloads.js';
import { PipelineObjects } from './pipeline-object.js';
import { PipelinePayloads } from './pipeline-payloads.js';
import { PushPayloads } from './push-payloads.js';
import { SystemAccountPayloads } from './system-account-payloads.js';
import { SystemMemberPayloads } from './system-member-payloads.js';
import { SystemProjectPayloads } from './system-project-payloads.js';
import { UserObjects } from './user-object.js';

/** What deliveries say. */
export const PAYLOAD_PROVIDERS = [
  BuildPayloads,
  CommitFiles,
  CommitNotePayloads,
  CommitObjects,
  HookBodies,
  IssuePayloads,
  MergeRequestObjects,
  MergeRequestPayloads,
  NotePayloads,
  PipelineObjects,
  PipelinePayloads,
  PushPayloads,
  SystemAccountPayloads,
  SystemMemberPayloads,
  SystemProjectPayloads,
  UserObjects,
];
