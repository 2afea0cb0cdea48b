import { Injectable } from '@nestjs/common';
import { GitError } from '../../../git/index.js';
import { Urls } from '../../../platform/config/index.js';
import { MAX_ID } from '../../../platform/database/index.js';
import {
  allows,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
  type Subject,
} from '../../authorization/index.js';
import {
  fullPathOf,
  isEnabled,
  type IssuableReference,
  IssuableKinds,
  NOWHERE,
  ReferenceResolver,
  referenceText,
} from '../../issuables/index.js';
import { CommitsService } from '../../repository/index.js';
import type { TextReference } from '../rendering/rendered-text.js';
import {
  type NamedLabel,
  type NamedMilestone,
  type NameInProject,
  NamedRepository,
} from './named.repository.js';

/** Distinct references of the texts of a job; further ones stay text. */
const MOST_REFERENCES = 1_000;

/** Beginnings of hashes among them. Git is asked about each. */
const MOST_HASHES = 100;

/** Names the members of the project of a text. */
const EVERYBODY = 'all';

/** A link to what a reference names. */
export interface ReferenceLink {
  readonly href: string;
  /** `issue`, `merge_request`, `label`, `milestone`, `project_member` or `commit`. */
  readonly type: string;
  /** Its title or name. */
  readonly title: string;
  /** The shortest way to write it, within the project of the text. */
  readonly short: string;
}

/** Returns the same key for references that are written alike, from case apart where names have none. */
export function keyOf({ sign, project, name }: TextReference): string {
  const full = `${project?.namespace ?? ''}/${project?.path ?? ''}`.toLowerCase();
  return `${sign} ${project === null ? '' : full} ${sign === '@' ? name.toLowerCase() : name}`;
}

/** A reader of texts. */
export interface TextReader {
  /** Null: anonymous. */
  readonly reader: Subject;
  /** The reader's access to the project of the texts; null where they have none. */
  readonly home: ProjectAccess | null;
}

/**
 * Finds what references name, as far as a reader may read it, with a constant number of statements. What the reader may not
 * read is missing as what does not exist.
 */
@Injectable()
export class ReferenceLinks {
  constructor(
    private readonly resolver: ReferenceResolver,
    private readonly kinds: IssuableKinds,
    private readonly projects: ProjectAccessRepository,
    private readonly named: NamedRepository,
    private readonly commits: CommitsService,
    private readonly urls: Urls,
  ) {}

  /** Returns the links of references by `keyOf`. */
  async find(
    references: readonly TextReference[],
    reader: TextReader,
  ): Promise<ReadonlyMap<string, ReferenceLink>> {
    const distinct = [...new Map(references.map((one) => [keyOf(one), one])).values()];
    const some = distinct.slice(0, MOST_REFERENCES);
    const ofSigns = (...signs: string[]): TextReference[] =>
      some.filter(({ sign }) => signs.includes(sign));
    const found = [
      ...(await this.issuables(ofSigns('#', '!'), reader)),
      ...(await this.planning(ofSigns('~', '%'), reader)),
      ...(await this.people(ofSigns('@'), reader)),
      ...(await this.hashes(ofSigns(''), reader)),
    ];
    return new Map(found.map(([reference, link]) => [keyOf(reference), link]));
  }

  private async issuables(
    written: readonly TextReference[],
    { reader, home }: TextReader,
  ): Promise<Found[]> {
    const numbered = written.filter(({ name }) => Number(name) <= MAX_ID);
    const references = numbered.map(({ sign, project, name }): IssuableReference => ({
      type: sign === '#' ? 'Issue' : 'MergeRequest',
      project,
      iid: Number(name),
    }));
    const found = await this.resolver.findShown(references, home?.project ?? null, reader);
    return numbered.flatMap((reference, index): Found[] => {
      const target = found[index];
      if (target === undefined) return [];
      const { issuable, access } = target;
      const { segment, sigil } = this.kinds.of(issuable.type);
      const iid = String(issuable.iid);
      const link = {
        href: this.page(access, segment, iid),
        type: segment === 'issues' ? 'issue' : 'merge_request',
        title: issuable.title,
        short: shortOf(`${sigil}${iid}`, access, home),
      };
      return [[reference, link]];
    });
  }

  /** Labels and milestones. */
  private async planning(
    written: readonly TextReference[],
    { reader, home }: TextReader,
  ): Promise<Found[]> {
    if (written.length === 0) return [];
    const pathOf = (one: TextReference): string => fullPathOf(one, home?.project ?? NOWHERE);
    const paths = [...new Set(written.map(pathOf))].map((full) => {
      const [namespace = '', path = ''] = full.split('/');
      return { namespace, path };
    });
    const accesses = await this.projects.findByPaths(reader, paths);
    const located = written.flatMap((reference) => {
      const access = accesses.get(pathOf(reference));
      if (access === undefined || !showsPlanning(access, reference)) return [];
      const { id: projectId, namespaceId } = access.project;
      return { reference, access, projectId, namespaceId, name: reference.name };
    });
    const labels = located.filter(({ reference }) => reference.sign === '~');
    const milestones = located.filter(({ reference }) => reference.sign === '%');
    const knownLabels = new Map(
      (await this.named.labels(labels)).map((label) => [nameKey(label), label]),
    );
    const found = await this.named.milestones(milestones);
    // A title counts before a number, which is one of the project's.
    const numbered = found.filter(({ isOfGroup }) => !isOfGroup);
    const knownMilestones = new Map([
      ...numbered.map((one) => [nameKey({ ...one, name: String(one.iid) }), one] as const),
      ...found.map((one) => [nameKey({ ...one, name: one.title }), one] as const),
    ]);
    return [
      ...labels.flatMap((one): Found[] => {
        const label = knownLabels.get(nameKey(one));
        return label ? [[one.reference, this.labelLink(one.access, label, home)]] : [];
      }),
      ...milestones.flatMap((one): Found[] => {
        const milestone = knownMilestones.get(nameKey(one));
        return milestone ? [[one.reference, this.milestoneLink(one.access, milestone, home)]] : [];
      }),
    ];
  }

  private labelLink(access: ProjectAccess, { name }: NamedLabel, home: Home): ReferenceLink {
    const query = new URLSearchParams({ 'label_name[]': name }).toString();
    return {
      href: `${this.page(access, 'issues')}?${query}`,
      type: 'label',
      title: name,
      short: shortOf(`~${quoted(name)}`, access, home),
    };
  }

  private milestoneLink(
    access: ProjectAccess,
    { iid, title, isOfGroup }: NamedMilestone,
    home: Home,
  ): ReferenceLink {
    const { namespacePath } = access.project;
    return {
      href: isOfGroup
        ? this.urls.web('groups', namespacePath, '-', 'milestones', String(iid))
        : this.page(access, 'milestones', String(iid)),
      type: 'milestone',
      title,
      short: shortOf(`%${quoted(title)}`, access, home),
    };
  }

  /** Users, groups, and `@all` for the members of the project. Anonymous readers are shown none. */
  private async people(
    written: readonly TextReference[],
    { reader, home }: TextReader,
  ): Promise<Found[]> {
    if (written.length === 0 || reader === null) return [];
    const names = written.map(({ name }) => name.toLowerCase());
    const links = new Map<string, Omit<ReferenceLink, 'type' | 'short'>>();
    if (home !== null) {
      links.set(EVERYBODY, { href: this.page(home), title: home.project.name });
    }
    for (const { path, name } of await this.named.groups(names, reader)) {
      links.set(path.toLowerCase(), { href: this.urls.web('groups', path), title: name });
    }
    for (const { username, name } of await this.named.users(names)) {
      links.set(username.toLowerCase(), { href: this.urls.web(username), title: name });
    }
    return written.flatMap((one): Found[] => {
      const link = links.get(one.name.toLowerCase());
      if (link === undefined) return [];
      return [[one, { ...link, type: 'project_member', short: `@${one.name}` }]];
    });
  }

  /** Commits of the project of the text. */
  private async hashes(written: readonly TextReference[], { home }: TextReader): Promise<Found[]> {
    if (home === null || !allows(home, 'code:browse')) return [];
    const hashes = written.slice(0, MOST_HASHES).map(({ name }) => name);
    const found = await this.resolveHashes(home, hashes);
    return written.flatMap((one): Found[] => {
      const oid = found.get(one.name);
      if (oid === undefined) return [];
      const href = this.page(home, 'commit', oid);
      return [[one, { href, type: 'commit', title: oid, short: one.name }]];
    });
  }

  /** Texts are shown while their repository cannot be read. */
  private async resolveHashes(
    { project }: ProjectAccess,
    hashes: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    try {
      return await this.commits.resolveHashes(project, hashes);
    } catch (error) {
      if (error instanceof GitError) return new Map();
      throw error;
    }
  }

  /** The address of a page of a project. */
  private page({ project }: ProjectAccess, ...segments: string[]): string {
    const separated = segments.length === 0 ? [] : ['-', ...segments];
    return this.urls.web(project.namespacePath, project.path, ...separated);
  }
}

type Home = ProjectAccess | null;

/** Within a project without issues and merge requests there are neither labels nor milestones. */
function showsPlanning(access: ProjectAccess, { sign }: TextReference): boolean {
  const { project } = access;
  if (!isEnabled(project, 'Issue') && !isEnabled(project, 'MergeRequest')) return false;
  return canSee(access) && allows(access, sign === '~' ? 'label:browse' : 'milestone:browse');
}

const nameKey = ({ projectId, name }: NameInProject): string => `${String(projectId)} ${name}`;

const quoted = (name: string): string => (/^[\p{L}\p{N}_-]+$/u.test(name) ? name : `"${name}"`);

/** Returns the shortest way to write a name with its sign in a text. */
const shortOf = (name: string, { project }: ProjectAccess, home: Home): string =>
  home === null
    ? `${project.namespacePath}/${project.path}${name}`
    : referenceText(name, project, home.project);

type Found = readonly [TextReference, ReferenceLink];
