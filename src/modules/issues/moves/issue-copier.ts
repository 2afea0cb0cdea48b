import { Injectable } from '@nestjs/common';
import { runPaced } from '../../../platform/async/index.js';
import { notFound } from '../../../platform/errors/index.js';
import { MIB } from '../../../platform/limits/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import {
  AwardsRepository,
  type Issuable,
  LabelsRepository,
  MentionsRepository,
  type Milestone,
  MilestonesRepository,
  moveReferences,
  NotesRepository,
  REFERENCE_CHARACTERS_PER_REQUEST,
  REFERENCE_CHARACTERS_PER_TEXT,
  Triage,
} from '../../issuables/index.js';
import { type Upload, UploadsService } from '../../storage/index.js';
import { issuableOf } from '../model/issue-kind.js';
import { IssuesRepository, type LocatedIssue } from '../model/issues.repository.js';
import { moveRefused } from '../model/refusals.js';

/** Notes that an issue may have to be moved. */
const NOTES_PER_MOVE = 10_000;

/** Bytes of text that an issue and its notes may have together to be moved. */
const TEXT_BYTES_PER_MOVE = 64 * MIB;

/** Uploads that are copied when an issue moves. */
const UPLOADS_PER_MOVE = 100;

/**
 * Copies issues into other projects, with the labels and the milestone that have the same names there, and with their
 * notes, awards and mentions (docs/reference/issues.md#moving).
 */
@Injectable()
export class IssueCopier {
  constructor(
    private readonly issues: IssuesRepository,
    private readonly triage: Triage,
    private readonly labels: LabelsRepository,
    private readonly milestones: MilestonesRepository,
    private readonly notes: NotesRepository,
    private readonly awards: AwardsRepository,
    private readonly mentions: MentionsRepository,
    private readonly uploads: UploadsService,
  ) {}

  /**
   * Copies an issue, and writes a system note about the move on both issues.
   * @returns the new issue
   * @throws DomainError move refused if the notes are too many or too long to be moved; not found if the project is
   *   deleted meanwhile, or has issues disabled; storage limit
   */
  async copy(
    source: LocatedIssue,
    from: ProjectRef,
    to: ProjectRef,
    actorId: number,
  ): Promise<LocatedIssue> {
    await this.checkSize(source);
    const rewrite = textRewriter(this.uploads, from, to);
    const copy = await this.insertCopy(source, to, rewrite);
    await this.copyNotes(source, copy, rewrite);
    const [original, moved] = [issuableOf(source), issuableOf(copy)];
    await this.writeNote(moved, source, actorId, `moved from ${referenceTo(source, copy)}`);
    await this.writeNote(original, copy, actorId, `moved to ${referenceTo(copy, source)}`);
    return copy;
  }

  private async checkSize({ id }: LocatedIssue): Promise<void> {
    const { notes, bytes } = await this.notes.sizeOf({ type: 'Issue', id }, NOTES_PER_MOVE + 1);
    if (notes > NOTES_PER_MOVE || bytes > TEXT_BYTES_PER_MOVE) throw moveRefused('too-large');
  }

  private async insertCopy(
    source: LocatedIssue,
    project: ProjectRef,
    rewrite: RewriteText,
  ): Promise<LocatedIssue> {
    const assigneeIds = await this.triage.assignable(project, source.assigneeIds);
    const milestone = await this.milestoneIn(project, source);
    const draft = await this.issues.draft(project.id);
    if (draft === null) throw notFound('project');
    return this.issues.insert(draft, {
      authorId: source.authorId,
      assigneeIds,
      milestoneId: milestone?.id ?? null,
      title: source.title,
      description: source.description === null ? null : await rewrite(source.description),
      state: source.state,
      confidential: source.confidential,
      dueDate: source.dueDate,
      createdAt: source.createdAt,
      labelIds: await this.labelsIn(project, source),
      time: source,
    });
  }

  /** Copies notes, awards and mentions to the new issue. */
  private async copyNotes(
    source: LocatedIssue,
    copy: LocatedIssue,
    rewrite: RewriteText,
  ): Promise<void> {
    const [from, to] = [issuableOf(source), issuableOf(copy)];
    const notes = await this.notes.copy(from, to, rewrite);
    await this.awards.copy('Note', notes, copy.projectId);
    await this.awards.copy('Issue', [{ from: source.id, to: copy.id }], copy.projectId);
    await this.mentions.copy(from, to, notes);
  }

  private async milestoneIn(
    { id }: ProjectRef,
    { milestoneId }: LocatedIssue,
  ): Promise<Milestone | null> {
    if (milestoneId === null) return null;
    const milestone = (await this.milestones.findByIds([milestoneId])).get(milestoneId);
    return milestone === undefined ? null : this.milestones.holdByTitle(id, milestone.title);
  }

  private async labelsIn({ id }: ProjectRef, source: LocatedIssue): Promise<number[]> {
    const labels = (await this.labels.labelsOf('Issue', [source.id])).get(source.id) ?? [];
    const names = labels.map(({ name }) => name);
    const found = await this.labels.resolve(id, names, { create: false });
    return found.map((label) => label.id);
  }

  /** Writes a note that, like a cross-reference, is shown to readers of the other issue. */
  private async writeNote(
    target: Issuable,
    { id, projectId }: LocatedIssue,
    actorId: number,
    body: string,
  ): Promise<void> {
    const origin = { type: 'Issue', projectId, id } as const;
    await this.notes.insertCrossReferences(origin, actorId, [{ target, body }]);
  }
}

/** Returns the reference without the namespace if both projects are in one. */
function referenceTo(issue: LocatedIssue, seenFrom: LocatedIssue): string {
  const [namespace, project = ''] = issue.projectPath.split('/');
  const isSameNamespace = seenFrom.projectPath.split('/')[0] === namespace;
  return `${isSameNamespace ? project : issue.projectPath}#${String(issue.iid)}`;
}

/**
 * Rewrites a text for the target project.
 * @throws DomainError not found if the target project is deleted meanwhile; storage limit
 */
type RewriteText = (text: string) => Promise<string>;

/**
 * Returns a function that rewrites the texts of one move, one after the other: it copies the uploads that they link
 * to and makes their references to the source project full, or escapes them. When the budgets are used up, references
 * and links stay unchanged. Each text is a paced step.
 */
function textRewriter(uploads: UploadsService, from: ProjectRef, to: ProjectRef): RewriteText {
  const links = new Map<string, string | null>();
  let left = REFERENCE_CHARACTERS_PER_REQUEST;
  return async (text) => {
    await copyUploads(uploads, text, { from, to, links });
    const linked = relinked(text, links);
    left -= Math.min(linked.length, REFERENCE_CHARACTERS_PER_TEXT);
    return left < 0 ? linked : runPaced(() => moveReferences(linked, from, to));
  };
}

/** Copies the uploads of a text and adds their new links; null for those that do not exist. */
async function copyUploads(
  uploads: UploadsService,
  text: string,
  { from, to, links }: { from: ProjectRef; to: ProjectRef; links: Map<string, string | null> },
): Promise<void> {
  if (!text.includes('/uploads/')) return;
  for (const upload of linkedUploads([text])) {
    const link = uploadLink(upload);
    if (links.has(link)) continue;
    if (links.size >= UPLOADS_PER_MOVE) return;
    const copy = await uploads.copy(upload, from.id, to);
    links.set(link, copy && uploadLink(copy));
  }
}

/** The links that `POST /projects/:id/uploads` returns, and nothing that only ends like one. */
const LINK = /(?<![\w.~%-])\/uploads\/([0-9a-f]{32})\/([\p{L}\p{M}\p{Nd}.+_-]+)/gu;

const uploadLink = ({ secret, name }: Upload): string => `/uploads/${secret}/${name}`;

/** The uploads that texts link to, each once. */
export function linkedUploads(texts: readonly string[]): Upload[] {
  const found = new Map<string, Upload>();
  for (const text of texts) {
    for (const [link, secret = '', name = ''] of text.matchAll(LINK)) {
      found.set(link, { secret, name });
    }
  }
  return [...found.values()];
}

/** Replaces links. @param links new links by old ones; others stay unchanged */
export function relinked(text: string, links: ReadonlyMap<string, string | null>): string {
  return text.replace(LINK, (link) => links.get(link) ?? link);
}
