import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import {
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
  type ProjectRef,
  type Subject,
} from '../../authorization/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import type { Issuable } from '../model/issuable.js';
import { mayClose, readReferences, type TextReferences } from './parse-references.js';
import type { IssuableReference } from './scan-references.js';

/** References to issues and merge requests that one text may have effects on. */
export const REFERENCES_PER_TEXT = 200;

/** The same of all texts of one request, push or job. */
const REFERENCES_PER_REQUEST = 1_000;

/** The newest commits of a push, or of a merge request, whose messages are read for references. */
export const COMMITS_READ_FOR_REFERENCES = 100;

/** The project of a text. */
type Home = Pick<ProjectRef, 'namespacePath' | 'path'>;

/** No namespace has an empty name. */
export const NOWHERE: Home = { namespacePath: '', path: '' };

/** An issue or merge request that a text refers to, with the reader's access to its project. */
export interface Referenced {
  readonly issuable: Issuable;
  readonly access: ProjectAccess;
}

/** Reads the references in texts within budgets, and finds the issues and merge requests that they refer to. */
@Injectable()
export class ReferenceResolver {
  constructor(
    private readonly projects: ProjectAccessRepository,
    private readonly kinds: IssuableKinds,
    private readonly config: Config,
  ) {}

  /** Parses the references in each of the texts, within the budget of a request. */
  read(texts: readonly string[]): Promise<TextReferences[]> {
    return readReferences(texts, this.config.http.externalUrl);
  }

  /** Whether one of the texts may close something. It does not parse them. */
  mayClose(texts: readonly string[]): boolean {
    return texts.some((text) => mayClose(text, this.config.http.externalUrl));
  }

  /** Finds the objects of one text, as `findEach`. */
  async find(
    references: readonly IssuableReference[],
    home: ProjectRef,
    reader: Subject,
  ): Promise<Referenced[]> {
    const [found = []] = await this.findEach([references], home, reader);
    return found;
  }

  /**
   * Finds the issues and merge requests that each text refers to and the reader may read, each once. It takes one
   * statement for all projects and one for each kind. References beyond `REFERENCES_PER_TEXT` of a text and
   * `REFERENCES_PER_REQUEST` of all texts are ignored.
   * @param home the project of the texts
   */
  async findEach(
    texts: readonly (readonly IssuableReference[])[],
    home: ProjectRef,
    reader: Subject,
  ): Promise<Referenced[][]> {
    let left = REFERENCES_PER_REQUEST;
    const counted = texts.map((references) => {
      const some = references.slice(0, Math.min(left, REFERENCES_PER_TEXT));
      left -= some.length;
      return some;
    });
    const known = await this.load(counted.flat(), home, reader);
    return counted.map((references) => {
      const found = references.flatMap((reference) => known.get(keyOf(reference, home)) ?? []);
      return [...new Set(found)];
    });
  }

  /**
   * Finds what each reference of a text that is shown names, with the statements of `findEach`. Their number is bounded by
   * the caller.
   * @param home the project of the text; null where it has none, so that only references with a namespace name anything
   * @returns undefined where that does not exist, or the reader may not read it
   */
  async findShown(
    references: readonly IssuableReference[],
    home: Home | null,
    reader: Subject,
  ): Promise<(Referenced | undefined)[]> {
    const known = await this.load(references, home ?? NOWHERE, reader);
    return references.map((reference) => known.get(keyOf(reference, home ?? NOWHERE)));
  }

  private async load(
    references: readonly IssuableReference[],
    home: Home,
    reader: Subject,
  ): Promise<ReadonlyMap<string, Referenced>> {
    const found = new Map<string, Referenced>();
    if (references.length === 0) return found;
    const fullPaths = new Set(references.map((reference) => fullPathOf(reference, home)));
    const paths = [...fullPaths].map((fullPath) => {
      const [namespace = '', path = ''] = fullPath.split('/');
      return { namespace, path };
    });
    const accesses = await this.projects.findByPaths(reader, paths);
    const pathOf = new Map([...accesses].map(([path, { project }]) => [project.id, path]));
    for (const kind of this.kinds.all) {
      const numbers = new Map<string, { projectId: number; iid: number }>();
      for (const reference of references) {
        const access = accesses.get(fullPathOf(reference, home));
        if (reference.type !== kind.type || access === undefined || !canSee(access)) continue;
        const number = { projectId: access.project.id, iid: reference.iid };
        numbers.set(keyOf(reference, home), number);
      }
      if (numbers.size === 0) continue;
      for (const issuable of await kind.findByIid([...numbers.values()])) {
        const path = pathOf.get(issuable.projectId) ?? '';
        const access = accesses.get(path);
        if (access === undefined || !kind.allowsReading(issuable, access, reader)) continue;
        found.set(`${path}${kind.sigil}${String(issuable.iid)}`, { issuable, access });
      }
    }
    return found;
  }
}

/** Returns the same key for all spellings of a reference. */
function keyOf(reference: IssuableReference, home: Home): string {
  const sigil = reference.type === 'Issue' ? '#' : '!';
  return `${fullPathOf(reference, home)}${sigil}${String(reference.iid)}`;
}

/** Returns the full path, in lower case, of the project that a reference names. */
export function fullPathOf(
  { project }: Pick<IssuableReference, 'project'>,
  { namespacePath, path }: Home,
): string {
  return `${project?.namespace ?? namespacePath}/${project?.path ?? path}`.toLowerCase();
}
